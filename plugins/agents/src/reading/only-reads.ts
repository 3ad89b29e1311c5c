import * as z from "zod";
import { commandOnlyReads } from "./reading-commands.ts";

/** Tools of the CLIs that look at files, and at nothing else. */
const READERS = new Set(["read", "grep", "glob", "find", "ls", "notebookread"]);
/** What the CLIs call their shells. */
const SHELLS = new Set(["bash", "shell", "execute", "exec_command"]);
/** A command line with what else the shells take that changes nothing of what it does. */
const shellInput = z.strictObject({
  command: z.string(),
  description: z.unknown().optional(),
  timeout: z.unknown().optional(),
});

/** Whether a call of a tool only reads. Tools go by their exact names: what is not known does not. */
export function onlyReads(tool: { name: string; input: string }): boolean {
  const name = tool.name.toLowerCase();
  if (READERS.has(name)) return true;
  if (!SHELLS.has(name)) return false;
  // A list of words is none: a word of it may be what a command line cannot say.
  const { data } = shellInput.safeParse(readJson(tool.input));
  return data !== undefined && commandOnlyReads(data.command);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
