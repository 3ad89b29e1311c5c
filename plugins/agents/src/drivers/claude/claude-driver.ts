import { randomUUID } from "node:crypto";
import type { Clock, Log } from "@gantry/plugin";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  type OpenSession,
} from "../../driver.ts";
import { toolEnvironment } from "../../tool-servers/tool-environment.ts";
import { CLAUDE_TRUST_PATHS } from "../../trust/trust-paths.ts";
import { holdsPrompt } from "../holds-prompt.ts";
import { roundMoney } from "../money.ts";
import { isAtLeast } from "../version.ts";
import {
  claudeSettings,
  ENVIRONMENT,
  TOOL_START_ENVIRONMENT,
  WIRE_ARGUMENTS,
} from "./claude-arguments.ts";
import { findCopyEnd, findRecord, readClaudeMessage } from "./claude-record.ts";
import { ClaudeSession } from "./claude-session.ts";

const capabilities: AgentCapabilities = {
  ...NO_CAPABILITIES,
  resume: true,
  steer: true,
  images: true,
  permissions: true,
  asksFirst: true,
  model: true,
  thinking: true,
  extraPrompt: true,
  readOnly: true,
  compact: true,
  commands: true,
  fork: true,
  clone: true,
  terminal: true,
  login: true,
  nativeExport: true,
  tools: true,
  cost: "usd",
};

const FRESH_NOTICE =
  "Claude Code has no record of the conversation so far, so it begins again: it does not know what was said before.";

/** Drives Claude Code by JSON lines both ways. */
export function createClaudeDriver(host: {
  clock: Clock;
  log: Log;
}): AgentDriver {
  return {
    name: "claude",
    capabilities,
    trustPaths: CLAUDE_TRUST_PATHS,
    async open(
      input: OpenSession,
      listener: DriverListener,
      signal: AbortSignal,
    ): Promise<AgentSession> {
      const { sessionId, args, isFresh, carriedUsd } = await aim(input);
      const settings = await claudeSettings(input);
      signal.throwIfAborted();
      const { command } = input;
      const process = await input.start(
        [
          ...command.args,
          ...WIRE_ARGUMENTS,
          ...args,
          ...settings,
          ...budgetArguments(input),
        ],
        {
          ...ENVIRONMENT,
          ...(input.tools.length > 0 ? TOOL_START_ENVIRONMENT : {}),
          ...command.env,
          ...input.readingEnvironment,
          ...toolEnvironment(input.tools),
        },
      );
      const { version } = command;
      const session = new ClaudeSession(
        process,
        { ...host, capabilities, version, sessionId },
        listener,
      );
      try {
        await session.start(carriedUsd, signal);
        if (input.resume && isFresh && !input.resume.fork)
          await listener({ type: "notice", turn: null, text: FRESH_NOTICE });
        return session;
      } catch (error) {
        await session.kill();
        throw error;
      }
    },
    async screen(input) {
      const { command, resume } = input;
      const isKnown =
        resume !== null &&
        (await findRecord(command, input.cwd, resume.sessionId)) !== null;
      const sessionId = isKnown ? resume.sessionId : randomUUID();
      const settings = await claudeSettings(input);
      const aimed = isKnown
        ? ["--resume", sessionId]
        : ["--session-id", sessionId];
      return {
        file: command.file,
        args: [...command.args, ...aimed, ...settings],
        env: { ...command.env, ...toolEnvironment(input.tools) },
        session: { sessionId, resumeKey: null },
        hasReceiver: false,
      };
    },
    login: ({ file, args, env, version }) => ({
      file,
      // Older ones have it only on their screen.
      args: [
        ...args,
        ...(isAtLeast(version, [2, 1, 100]) ? ["auth", "login"] : ["/login"]),
      ],
      env,
    }),
    nativeRecord: ({ sessionId, command, cwd }) =>
      findRecord(command, cwd, sessionId),
    holdsPrompt: async ({ sessionId, command, cwd, ...prompt }) =>
      await holdsPrompt(
        await findRecord(command, cwd, sessionId),
        prompt,
        readClaudeMessage,
      ),
  };
}

/**
 * Its own limit of cost, since it tells what a turn has cost only when that is over. Some versions count what the
 * conversation has cost before, and which do is known too late: so the limit lies on top of that.
 */
function budgetArguments({ maxCostUsd, resume }: OpenSession): string[] {
  if (maxCostUsd === undefined || maxCostUsd === null) return [];
  const before = resume?.reportedCostUsd ?? 0;
  return ["--max-budget-usd", String(roundMoney(before + maxCostUsd))];
}

/** Which conversation is opened, and how that is said on the command line. */
async function aim({ command, cwd, resume }: OpenSession): Promise<{
  sessionId: string;
  args: string[];
  isFresh: boolean;
  carriedUsd: number | null;
}> {
  const fresh = () => {
    const sessionId = randomUUID();
    const args = ["--session-id", sessionId];
    return { sessionId, args, isFresh: true, carriedUsd: null };
  };
  if (!resume) return fresh();
  const record = await findRecord(command, cwd, resume.sessionId);
  if (record === null) return fresh();
  const { reportedCostUsd: carriedUsd, fork } = resume;
  if (!fork) {
    const args = ["--resume", resume.sessionId];
    return { sessionId: resume.sessionId, args, isFresh: false, carriedUsd };
  }
  const end =
    fork.keepPrompts === null
      ? ({ kind: "all" } as const)
      : await findCopyEnd(record, fork.keepPrompts);
  if (end.kind === "nothing") return fresh();
  const sessionId = randomUUID();
  const args = [
    ...["--resume", resume.sessionId, "--fork-session"],
    ...["--session-id", sessionId],
    ...(end.kind === "at" ? ["--resume-session-at", end.uuid] : []),
  ];
  return { sessionId, args, isFresh: false, carriedUsd };
}
