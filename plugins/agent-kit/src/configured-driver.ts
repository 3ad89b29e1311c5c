import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  AgentCli,
  AskingSettings,
  CliSettings,
  ScreenArguments,
} from "./agent-cli.ts";
import type { AgentCapabilities } from "./capabilities.ts";
import type { AgentDriver } from "./driver.ts";
import type {
  AgentScreen,
  CliCommand,
  OpenScreen,
  OpenSession,
} from "./open-session.ts";

/** Replaced by the conversation's id in the arguments of a screen. */
const SESSION = "{session}";
/** Replaced by the driver's folder for an agent in the arguments of {@link AskingSettings}. */
const FOLDER = "{folder}";

/** A driver adapted to the settings of one CLI. */
export function toConfiguredDriver(
  driver: AgentDriver,
  cli: Partial<AgentCli>,
): AgentDriver {
  const { screen, login, asksFirst, lacks = [] } = cli;
  const { overrides, agentVariable } = cli;
  const isPlain = !screen && !login && !asksFirst && lacks.length === 0;
  if (isPlain && !overrides && agentVariable === undefined) return driver;
  const { nativeRecord, holdsPrompt, versionArguments } = driver;
  return {
    name: driver.name,
    capabilities:
      cli.capabilities ?? toConfiguredCapabilities(driver.capabilities, cli),
    trustPaths: driver.trustPaths,
    ...(versionArguments && { versionArguments }),
    open: async (given, listener, signal) => {
      const input = withAgentVariable(given, agentVariable);
      // The CLI's claim to resume conversations is not reliable.
      const resume = lacks.includes("resume") ? null : input.resume;
      const command =
        asksFirst && input.asksFirst
          ? await toAskingCommand(input, asksFirst)
          : input.command;
      return await driver.open({ ...input, resume, command }, listener, signal);
    },
    ...(screen
      ? { screen: async (input) => toScreen(input, screen) }
      : driver.screen && { screen: driver.screen.bind(driver) }),
    ...(login
      ? { login: ({ file, env }) => ({ file, args: login, env }) }
      : driver.login && { login: driver.login.bind(driver) }),
    ...(nativeRecord && { nativeRecord: nativeRecord.bind(driver) }),
    ...(holdsPrompt && { holdsPrompt: holdsPrompt.bind(driver) }),
    ...overrides,
  };
}

/** Passes the agent's id to the CLI if it has a variable for it. */
function withAgentVariable(
  input: OpenSession,
  name: string | undefined,
): OpenSession {
  if (name === undefined) return input;
  const env = { ...input.command.env, [name]: input.agentId };
  return { ...input, command: { ...input.command, env } };
}

/** Capabilities of a CLI, adjusted by its settings. */
export function toConfiguredCapabilities(
  capabilities: AgentCapabilities,
  {
    screen,
    login,
    asksFirst,
    lacks = [],
  }: Pick<CliSettings, "screen" | "login" | "asksFirst" | "lacks">,
): AgentCapabilities {
  return {
    ...capabilities,
    ...(screen && { terminal: true }),
    ...(login && { login: true }),
    ...(asksFirst && { asksFirst: true }),
    ...Object.fromEntries(lacks.map((name) => [name, false])),
  };
}

/** Command of a CLI that has to ask first, after writing the files that it needs for that. */
async function toAskingCommand(
  { command, folder }: OpenSession,
  { args, env, files }: AskingSettings,
): Promise<CliCommand> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    // The mode above applies only to a new file.
    await chmod(file, 0o600);
  }
  const more = args.map((argument) => argument.replaceAll(FOLDER, folder));
  return {
    ...command,
    args: [...command.args, ...more],
    env: { ...command.env, ...env },
  };
}

function toScreen(
  { command, resume }: OpenScreen,
  { fresh, resume: known }: ScreenArguments,
): AgentScreen {
  const sessionId = resume?.sessionId;
  const args =
    sessionId === undefined
      ? fresh
      : known.map((argument) => argument.replaceAll(SESSION, sessionId));
  return {
    file: command.file,
    args,
    env: command.env,
    session:
      sessionId === undefined
        ? null
        : { sessionId, resumeKey: resume?.resumeKey ?? null },
    hasReceiver: false,
  };
}
