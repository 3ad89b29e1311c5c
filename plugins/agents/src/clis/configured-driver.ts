import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CliConfig } from "../config.ts";
import type {
  AgentCapabilities,
  AgentDriver,
  AgentScreen,
  CliCommand,
  OpenScreen,
  OpenSession,
} from "../driver.ts";

/** Stands for the id of the conversation in the arguments of a screen. */
const SESSION = "{session}";
/** Stands for the driver's folder for an agent in the arguments with which it asks first. */
const FOLDER = "{folder}";

/** A driver with what the configuration knows of one CLI behind it. */
export function toConfiguredDriver(
  driver: AgentDriver,
  { screen, login, asksFirst, lacks = [] }: CliConfig,
): AgentDriver {
  if (!screen && !login && !asksFirst && lacks.length === 0) return driver;
  const { nativeRecord, holdsPrompt } = driver;
  return {
    name: driver.name,
    capabilities: toConfiguredCapabilities(driver.capabilities, {
      screen,
      login,
      asksFirst,
      lacks,
    }),
    trustPaths: driver.trustPaths,
    open: async (input, listener, signal) => {
      // The resume point of a CLI that cannot resume is not reliable.
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
  };
}

/** What a CLI can do, with what the configuration knows of it. */
export function toConfiguredCapabilities(
  capabilities: AgentCapabilities,
  {
    screen,
    login,
    asksFirst,
    lacks = [],
  }: Pick<CliConfig, "screen" | "login" | "asksFirst" | "lacks">,
): AgentCapabilities {
  return {
    ...capabilities,
    ...(screen && { terminal: true }),
    ...(login && { login: true }),
    ...(asksFirst && { asksFirst: true }),
    ...Object.fromEntries(lacks.map((name) => [name, false])),
  };
}

/** How a CLI is started that has to ask first, with the files that it needs for that. */
async function toAskingCommand(
  { command, folder }: OpenSession,
  { args, env, files }: NonNullable<CliConfig["asksFirst"]>,
): Promise<CliCommand> {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    // The mode above counts only for a file that was not there.
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
  { fresh, resume: known }: NonNullable<CliConfig["screen"]>,
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
