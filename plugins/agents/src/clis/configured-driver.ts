import type { CliConfig } from "../config.ts";
import type {
  AgentCapabilities,
  AgentDriver,
  AgentScreen,
  OpenScreen,
} from "../driver.ts";

/** Stands for the id of the conversation in the arguments of a screen. */
const SESSION = "{session}";

/** A driver with what the configuration knows of one CLI behind it: its screen and its login. */
export function toConfiguredDriver(
  driver: AgentDriver,
  { screen, login, lacks = [] }: CliConfig,
): AgentDriver {
  if (!screen && !login && lacks.length === 0) return driver;
  const { nativeRecord, holdsPrompt } = driver;
  return {
    name: driver.name,
    capabilities: toConfiguredCapabilities(driver.capabilities, {
      screen,
      login,
      lacks,
    }),
    trustPaths: driver.trustPaths,
    open: async (input, listener, signal) => {
      // What it says to go on with is not to be relied on.
      const resume = lacks.includes("resume") ? null : input.resume;
      return await driver.open({ ...input, resume }, listener, signal);
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
  { screen, login, lacks = [] }: Pick<CliConfig, "screen" | "login" | "lacks">,
): AgentCapabilities {
  return {
    ...capabilities,
    ...(screen && { terminal: true }),
    ...(login && { login: true }),
    ...Object.fromEntries(lacks.map((name) => [name, false])),
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
