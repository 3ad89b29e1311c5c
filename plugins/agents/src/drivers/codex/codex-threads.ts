import type * as z from "zod";
import type { OpenSession } from "../../driver.ts";
import { errors } from "../../errors.ts";
import type { ToolServer } from "../../tool-server.ts";
import { MAX_TOOL_START_MS } from "../../tool-servers/tool-environment.ts";
import { codexConfig, codexThread, codexTurns } from "./codex-wire.ts";

type Request = (method: string, params: object) => Promise<unknown>;

/** Whole turns hold the output of tools, so that few fit into one line. */
const PAGE = 4;

/** A server may ask the user during a call; Codex itself gives it one minute. */
const MAX_CALL_S = 660;

/** A thread that was opened. */
export type OpenedThread = z.infer<typeof codexThread> & {
  /** False if a conversation that was asked for is not there any more. */
  isFound: boolean;
};

/** Begins a thread, or continues one or a copy of it. */
export async function openThread(
  input: OpenSession,
  request: Request,
  expect: (threadId: string) => void,
): Promise<OpenedThread> {
  const { resume } = input;
  const settings = toSettings(input, await findServersToStop(input, request));
  const begin = async (isFound: boolean) => ({
    ...codexThread.parse(await request("thread/start", settings)),
    isFound,
  });
  if (!resume) return await begin(true);
  const { sessionId: threadId, fork } = resume;
  const known = { ...settings, threadId, excludeTurns: true };
  try {
    if (!fork) {
      expect(threadId);
      const opened = await request("thread/resume", known);
      return { ...codexThread.parse(opened), isFound: true };
    }
    if (fork.keepPrompts === 0) return await begin(true);
    const end =
      fork.keepPrompts === null
        ? {}
        : await findCopyEnd(threadId, fork.keepPrompts, request);
    const opened = await request("thread/fork", { ...known, ...end });
    return { ...codexThread.parse(opened), isFound: true };
  } catch (error) {
    // A thread is stored with its first turn; before that there is nothing to continue.
    if (!/no rollout found|not found|no such thread/i.test(String(error)))
      throw error;
    return await begin(false);
  }
}

/**
 * Names of the tool servers that must not be started: they run outside of the sandbox, and what they offer is used
 * without a question.
 *
 * @throws AGENT_NEVER_ASKS if Codex does not tell, where it has to be kept to asking
 */
async function findServersToStop(
  { cli, cwd, readOnly, asksFirst }: OpenSession,
  request: Request,
): Promise<string[]> {
  if (!readOnly && !asksFirst) return [];
  // Older versions do not know the question.
  const answer = await request("config/read", {
    includeLayers: false,
    cwd,
  }).catch(() => undefined);
  const known = codexConfig.safeParse(answer);
  if (known.success) return Object.keys(known.data.config.mcp_servers ?? {});
  const reason = "does not tell which tool servers it would start";
  if (asksFirst) throw errors.AGENT_NEVER_ASKS({ cli, reason });
  return [];
}

/** A tool server in Codex's settings, which passes on the listed variables. Its tools need no permission. */
export function toCodexServer({ command, args, env }: ToolServer): object {
  return {
    command,
    args,
    env_vars: Object.keys(env),
    default_tools_approval_mode: "approve",
    startup_timeout_sec: MAX_TOOL_START_MS / 1000,
    tool_timeout_sec: MAX_CALL_S,
    enabled: true,
  };
}

/** What the agent was given. What it was not given stays as the user has set it for Codex. */
function toSettings(
  {
    cwd,
    model,
    thinking,
    extraPrompt,
    readOnly,
    asksFirst,
    trusted,
    tools,
  }: OpenSession,
  servers: readonly string[],
): object {
  const config: Record<string, unknown> = {};
  const known = [
    ...servers.map((name) => [name, { enabled: false }] as const),
    ...tools.map((server) => [server.name, toCodexServer(server)] as const),
  ];
  if (known.length > 0) config["mcp_servers"] = Object.fromEntries(known);
  if (thinking) config["model_reasoning_effort"] = thinking;
  if (!trusted) config["projects"] = { [cwd]: { trust_level: "untrusted" } };
  return {
    cwd,
    ...(model ? { model } : {}),
    ...(extraPrompt ? { developerInstructions: extraPrompt } : {}),
    // One that may ask for more could be given the right to write. Its shell reads on in the sandbox.
    ...(readOnly || asksFirst
      ? { sandbox: "read-only", approvalPolicy: "never" }
      : {}),
    ...(Object.keys(config).length > 0 ? { config } : {}),
  };
}

/** The last turn of a copy with the first `keepPrompts` messages of the user; none if the copy is to hold all turns. */
async function findCopyEnd(
  threadId: string,
  keepPrompts: number,
  request: Request,
): Promise<{ lastTurnId?: string }> {
  let count = 0;
  let last: string | undefined;
  let cursor: string | null = null;
  do {
    const page: z.infer<typeof codexTurns> = codexTurns.parse(
      await request("thread/turns/list", {
        threadId,
        limit: PAGE,
        sortDirection: "asc",
        itemsView: "full",
        cursor,
      }),
    );
    for (const { id, items } of page.data) {
      const said = items.filter(({ type }) => type === "userMessage").length;
      if (count + said > keepPrompts) {
        if (count < keepPrompts)
          throw new Error(
            "That message was said in the middle of a turn, and Codex copies whole turns.",
          );
        return last === undefined ? {} : { lastTurnId: last };
      }
      count += said;
      last = id;
    }
    cursor = page.nextCursor ?? null;
  } while (cursor !== null);
  return {};
}
