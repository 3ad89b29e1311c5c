import { fileURLToPath } from "node:url";
import { findFreePort } from "./free-port.ts";
import { waitFor200 } from "./http.ts";
import { startNode } from "./process.ts";
import type { MeasuredProcess } from "./process.ts";

const PROGRAM = fileURLToPath(
  new URL("../../peers/bare-h3.mjs", import.meta.url),
);

/** The arguments that run a server of h3 alone. */
export function peerArguments(settings: {
  port: number;
  answer?: unknown;
  database?: string;
}): string[] {
  return [PROGRAM, JSON.stringify({ answer: {}, ...settings })];
}

/** Starts a server of h3 alone. */
export async function startPeer(
  signal: AbortSignal,
  settings: { answer?: unknown; database?: string } = {},
): Promise<MeasuredProcess & { base: string }> {
  const port = await findFreePort();
  const running = startNode(peerArguments({ port, ...settings }), signal);
  const base = `http://127.0.0.1:${port}`;
  try {
    await waitFor200(`${base}/small`, signal);
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
  return { ...running, base };
}
