import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolServer } from "../tool-server.ts";

/** A tool server that takes longer to start is left out of the first turn. On a busy machine a start takes seconds. */
export const MAX_TOOL_START_MS = 20_000;

/** The combined variables of all servers, for a CLI that passes on its environment. They do not conflict. */
export function toolEnvironment(
  tools: readonly ToolServer[],
): Record<string, string> {
  return Object.assign({}, ...tools.map(({ env }) => env)) as Record<
    string,
    string
  >;
}

/** Writes a file in the driver's folder that only its user may read; returns its path. */
export async function writePrivateFile(
  folder: string,
  name: string,
  text: string,
): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
  return file;
}
