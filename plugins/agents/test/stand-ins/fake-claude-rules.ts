/** What the client of Claude Code writes, a line each. */
export interface ClientLine {
  type: string;
  uuid: string;
  request_id: string;
  request: { subtype: string };
  response: { request_id: string; response: Record<string, unknown> };
  message: { content: { text?: string }[] };
}

/** What each answer takes of the model. */
export const ZERO_USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The value that a flag of a command line has. */
export function findFlag(
  args: readonly string[],
  flag: string,
): string | undefined {
  return args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
}

/** Asks the client whether a tool may be used. */
type Ask = (tool: string, input: object) => Promise<{ behavior?: string }>;

/**
 * What Claude Code makes of its flags and of the settings of its user before it uses a tool: whether it is there, and
 * whether it is allowed or has to be asked for. `FAKE_CLAUDE_MODE=bypassPermissions` is a user who allows everything
 * permanently, and whose hooks allow the rest.
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
