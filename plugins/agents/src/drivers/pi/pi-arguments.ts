import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenSession } from "../../driver.ts";
import { isAtLeast } from "../version.ts";
import { piToolArguments } from "./pi-tools.ts";

/** Tools of pi that change nothing. */
export const READ_ONLY_TOOLS = ["read", "grep", "find", "ls"];

/**
 * The arguments that pi is started with. Everything is a flag: the commands `set_model` and `set_thinking_level` would
 * write the user's own settings.
 */
export async function piArguments(
  input: OpenSession,
  sessionFile: string | null,
): Promise<string[]> {
  return ["--mode", "rpc", ...(await piSettings(input, sessionFile))];
}

/** The arguments that hold for pi's screen as well. */
export async function piSettings(
  input: OpenSession,
  sessionFile: string | null,
): Promise<string[]> {
  const { command, model, thinking, extraPrompt, trusted } = input;
  const args: string[] = [];
  if (sessionFile) args.push("--session", sessionFile);
  if (model) args.push("--model", model);
  if (thinking) args.push("--thinking", thinking);
  const tools = toolsOf(input);
  if (tools) args.push("--tools", tools.join(","));
  if (extraPrompt) {
    // As a file: an argument is seen by every user of the machine, and pi would read one that happens to be a path.
    const file = join(input.folder, "extra-prompt.md");
    await writeFile(file, extraPrompt, { mode: 0o600 });
    args.push("--append-system-prompt", file);
  }
  // Older ones have no such question and would take the flag for one of an extension.
  if (isAtLeast(command.version, [0, 79, 0]))
    args.push(trusted ? "--approve" : "--no-approve");
  args.push(...(await piToolArguments(input.folder, input.tools)));
  return args;
}

/** The tools that it is left with; `undefined` for all. What only writes need not be there to be refused. */
function toolsOf({
  readOnly,
  asksFirst,
  tools,
}: OpenSession): string[] | undefined {
  if (readOnly)
    return [...READ_ONLY_TOOLS, ...tools.flatMap((server) => server.tools)];
  return asksFirst ? [...READ_ONLY_TOOLS, "bash"] : undefined;
}
