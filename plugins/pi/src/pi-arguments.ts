import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAtLeast, type OpenSession } from "@gantry/agent-kit";
import { piToolArguments } from "./pi-tools.ts";

/** Tools of pi that change nothing. */
export const READ_ONLY_TOOLS = ["read", "grep", "find", "ls"];

/**
 * The arguments that pi is started with. All settings are flags: the commands `set_model` and `set_thinking_level`
 * would change the user's own settings.
 */
export async function piArguments(
  input: OpenSession,
  sessionFile: string | null,
): Promise<string[]> {
  return ["--mode", "rpc", ...(await piSettings(input, sessionFile))];
}

/** The arguments that also apply to pi's screen. */
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
    // As a file: every user of the machine can see arguments, and pi would read one that happens to be a path.
    const file = join(input.folder, "extra-prompt.md");
    await writeFile(file, extraPrompt, { mode: 0o600 });
    args.push("--append-system-prompt", file);
  }
  // Older versions do not ask and would take the flag for one of an extension.
  if (isAtLeast(command.version, [0, 79, 0]))
    args.push(trusted ? "--approve" : "--no-approve");
  args.push(...(await piToolArguments(input.folder, input.tools)));
  return args;
}

/** The tools that pi may use; `undefined` for all. A tool that only writes need not be offered just to be refused. */
function toolsOf({
  readOnly,
  asksFirst,
  tools,
}: OpenSession): string[] | undefined {
  if (readOnly)
    return [...READ_ONLY_TOOLS, ...tools.flatMap((server) => server.tools)];
  return asksFirst ? [...READ_ONLY_TOOLS, "bash"] : undefined;
}
