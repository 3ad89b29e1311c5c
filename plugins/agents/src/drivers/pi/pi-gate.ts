import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import * as z from "zod";
import type { DriverDialog } from "../../driver.ts";
import { toRequest } from "../../tools/to-request.ts";
import { READ_ONLY_TOOLS } from "./pi-arguments.ts";
import type { UiRequest } from "./pi-wire.ts";

/** An extension that has pi ask before each tool that does more than read. */
export interface PiGate {
  file: string;
  /** What the titles of its questions begin with; known only to it and the driver. */
  mark: string;
}

const call = z.object({ name: z.string(), input: z.unknown() });

/** Writes the extension for one process of pi. */
export async function writePiGate(folder: string): Promise<PiGate> {
  const file = join(folder, "pi-gate.ts");
  const mark = `${createIdentifier("gate")} `;
  const known = { mark, reading: READ_ONLY_TOOLS };
  await writeFile(file, `const known = ${JSON.stringify(known)};\n${PROGRAM}`, {
    mode: 0o600,
  });
  // The mode above counts only for a file that was not there.
  await chmod(file, 0o600);
  return { file, mark };
}

/** Whether a message says that the extension is loaded. */
export function isGateGreeting(
  { method, message }: UiRequest,
  mark: string | undefined,
): boolean {
  return mark !== undefined && method === "notify" && message === mark;
}

/** A question of the extension as a dialog, `undefined` if it is one of another. */
export function toGateDialog(
  { id, title }: UiRequest,
  mark: string | undefined,
): DriverDialog | undefined {
  if (mark === undefined || !title.startsWith(mark)) return undefined;
  const { name, input } = call.parse(JSON.parse(title.slice(mark.length)));
  const tool = { name, title: "", input: JSON.stringify(input) };
  return {
    id,
    kind: "permission",
    ...toRequest(tool),
    tool: name,
    input: tool.input,
    options: [
      { id: "Allow", label: "Allow", kind: "allow-once" },
      { id: "Reject", label: "Reject", kind: "reject-once" },
    ],
    takesText: false,
  };
}

/** What pi loads. It depends only on pi's interface for extensions. */
const PROGRAM = `
const REFUSED =
  "Refused: nothing may be changed, and no user is there to ask. Commands that only read are allowed (git log, git " +
  "diff, ls, cat, grep and the like), also in pipes and lists, but without variables, substitutions and " +
  "redirections. Continue with those, and tell in your answer what you could not do.";

export default function (pi) {
  pi.on("session_start", (event, ctx) => ctx.ui.notify(known.mark));
  pi.on("tool_call", async (event, ctx) => {
    if (known.reading.includes(event.toolName)) return undefined;
    const call = JSON.stringify({ name: event.toolName, input: event.input });
    const answer = await ctx.ui.select(known.mark + call, ["Allow", "Reject"]);
    return answer === "Allow" ? undefined : { block: true, reason: REFUSED };
  });
}
`;
