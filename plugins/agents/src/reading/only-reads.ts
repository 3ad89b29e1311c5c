import * as z from "zod";
import { commandOnlyReads } from "./reading-commands.ts";

/** Names of CLI tools that only read files. */
const READERS = new Set(["read", "grep", "glob", "find", "ls", "notebookread"]);
/** Names of CLI tools that run a shell command. */
const SHELLS = new Set(["bash", "shell", "execute", "exec_command"]);
/** A command line, with the other fields that do not change what it does. */
const shellInput = z.strictObject({
  command: z.string(),
  description: z.unknown().optional(),
  timeout: z.unknown().optional(),
});

/** Whether a call of a tool only reads. An unknown tool does not. */
export function onlyReads(tool: { name: string; input: string }): boolean {
  const name = tool.name.toLowerCase();
  if (READERS.has(name)) return true;
  if (!SHELLS.has(name)) return false;
  // A command given as a list of words is refused, since a word can contain what a command line cannot express.
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
