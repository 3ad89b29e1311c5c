import { access } from "node:fs/promises";
import type { Clock, Log } from "@gantry/plugin";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  type OpenScreen,
  type OpenSession,
} from "../../driver.ts";
import { toolEnvironment } from "../../tool-servers/tool-environment.ts";
import { CODEX_TRUST_PATHS } from "../../trust/trust-paths.ts";
import { holdsPrompt } from "../holds-prompt.ts";
import { readCodexMessage } from "./codex-record.ts";
import { CodexSession } from "./codex-session.ts";
import { toCodexServer } from "./codex-threads.ts";

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
  fork: true,
  clone: true,
  terminal: true,
  login: true,
  nativeExport: true,
  tools: true,
  cost: "tokens",
};

const FRESH_NOTICE =
  "Codex has no record of the conversation so far, so it begins again: it does not know what was said before.";

/** Drives Codex by its app-server. */
export function createCodexDriver(host: {
  clock: Clock;
  log: Log;
}): AgentDriver {
  return {
    name: "codex",
    capabilities,
    trustPaths: CODEX_TRUST_PATHS,
    async open(
      input: OpenSession,
      listener: DriverListener,
      signal: AbortSignal,
    ): Promise<AgentSession> {
      const { command } = input;
      const process = await input.start([...command.args, "app-server"], {
        ...command.env,
        ...toolEnvironment(input.tools),
      });
      const session = new CodexSession(
        process,
        { ...host, capabilities, version: command.version },
        listener,
      );
      try {
        const isFound = await session.start(input, signal);
        if (!isFound)
          await listener({ type: "notice", turn: null, text: FRESH_NOTICE });
        return session;
      } catch (error) {
        await session.kill();
        throw error;
      }
    },
    async screen(input) {
      const { command, resume } = input;
      const isKnown = (await existing(resume?.resumeKey ?? null)) !== null;
      return {
        file: command.file,
        args: [
          ...command.args,
          ...(resume && isKnown ? ["resume", resume.sessionId] : []),
          ...screenSettings(input),
        ],
        env: { ...command.env, ...toolEnvironment(input.tools) },
        session:
          resume && isKnown
            ? { sessionId: resume.sessionId, resumeKey: resume.resumeKey }
            : null,
        hasReceiver: false,
      };
    },
    login: ({ file, args, env }) => ({ file, args: [...args, "login"], env }),
    nativeRecord: ({ resumeKey }) => existing(resumeKey),
    holdsPrompt: ({ resumeKey, ...prompt }) =>
      holdsPrompt(resumeKey, prompt, readCodexMessage),
  };
}

function screenSettings(input: OpenScreen): string[] {
  const { model, thinking, extraPrompt, readOnly, resume, tools } = input;
  const set = (name: string, value: unknown) => [
    "-c",
    `${name}=${JSON.stringify(value)}`,
  ];
  return [
    // It would copy itself into the user's folder and leave a server and an updater running.
    ...set("features.daemon_auto_start", false),
    ...(model ? ["--model", model] : []),
    ...(thinking ? set("model_reasoning_effort", thinking) : []),
    // A conversation that is known has them in it.
    ...(extraPrompt && !resume
      ? set("developer_instructions", extraPrompt)
      : []),
    ...(readOnly
      ? ["--sandbox", "read-only", "--ask-for-approval", "never"]
      : []),
    ...tools.flatMap((server) =>
      Object.entries(toCodexServer(server)).flatMap(([key, value]) =>
        set(`mcp_servers.${server.name}.${key}`, value),
      ),
    ),
  ];
}

async function existing(file: string | null): Promise<string | null> {
  if (file === null) return null;
  return await access(file).then(
    () => file,
    () => null,
  );
}
