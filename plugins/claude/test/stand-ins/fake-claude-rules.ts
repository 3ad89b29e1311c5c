/** A line from Claude Code's client. */
export interface ClientLine {
  type: string;
  uuid: string;
  request_id: string;
  request: { subtype: string };
  response: { request_id: string; response: Record<string, unknown> };
  message: { content: { text?: string }[] };
}

/** The token usage of each answer. */
export const ZERO_USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The value of a command-line flag. */
export function findFlag(
  args: readonly string[],
  flag: string,
): string | undefined {
  return args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
}

/** Asks the client whether a tool may be used. */
type Ask = (tool: string, input: object) => Promise<{ behavior?: string }>;

/**
 * Evaluates flags and user settings as Claude Code does before it uses a tool: whether the tool is available, and
 * whether it is allowed or needs permission. `FAKE_CLAUDE_MODE=bypassPermissions` simulates a user who allows
 * everything permanently, and whose hooks allow the rest.
 */
export function readRules(
  args: readonly string[],
  ask: Ask,
): (tool: string, input: object) => Promise<boolean> {
  const valueOf = (flag: string) => findFlag(args, flag);
  const ofUser = process.env["FAKE_CLAUDE_MODE"];
  const mode = valueOf("--permission-mode") ?? ofUser;
  const tools = valueOf("--tools")?.split(",");
  const settings = JSON.parse(valueOf("--settings") ?? "{}") as {
    permissions?: { ask?: string[] };
    disableAllHooks?: boolean;
  };
  const isHooked = ofUser !== undefined && !settings.disableAllHooks;
  return async (tool, input) => {
    if (tools && !tools.includes(tool)) return false;
    const isAsked = settings.permissions?.ask?.includes(tool) ?? false;
    if (!isAsked || mode === "bypassPermissions" || isHooked) return true;
    return (await ask(tool, input)).behavior === "allow";
  };
}
