import { defineCommand, runCommand, showUsage } from "citty";
import { CommandError } from "./commands/command-error.ts";
import { ConfigError } from "./config/config.ts";
import { HomeError } from "./home/home.ts";
import { LockedError } from "./home/lock.ts";
import { PortTakenError } from "./http/open-ports.ts";
import { createRedactor } from "./log/redact.ts";
import { version } from "./version.ts";

/** Exit codes that scripts can rely on. */
const EXIT = { failure: 1, usage: 2, locked: 3, home: 4 } as const;

const WORDED = [LockedError, HomeError, ConfigError];

const command = defineCommand({
  meta: {
    name: "gantry",
    version,
    description: "Manages coding-agent sessions on this machine",
  },
  subCommands: {
    serve: () => import("./commands/serve.ts").then((module) => module.serve),
    pair: () => import("./commands/pair.ts").then((module) => module.pair),
    token: () => import("./commands/token.ts").then((module) => module.token),
    doctor: () =>
      import("./commands/doctor.ts").then((module) => module.doctor),
    plugins: () =>
      import("./commands/plugins.ts").then((module) => module.plugins),
    audit: () => import("./commands/audit.ts").then((module) => module.audit),
  },
});

/** The command line. Prints one clear line for everything that the user can mend. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    if (args.length === 0 || args[0] === "--help" || args[0] === "-h")
      return await showUsage(command);
    if (args[0] === "--version" || args[0] === "-v")
      return console.log(version);
    await runCommand(command, { rawArgs: [...args] });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    const redact = createRedactor({ environment: process.env });
    const message = error instanceof Error ? error.message : String(error);
    console.error(`gantry: ${redact(message)}`);
    // Those that are worded for the terminal say all; of any other the stack may help.
    const isWorded =
      [...WORDED, PortTakenError, CommandError].some(
        (kind) => error instanceof kind,
      ) || isUsage(error);
    if (!isWorded && error instanceof Error)
      console.error(redact(error.stack ?? ""));
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof LockedError) return EXIT.locked;
  if (error instanceof HomeError) return EXIT.home;
  return error instanceof ConfigError || isUsage(error)
    ? EXIT.usage
    : EXIT.failure;
}

/** What citty throws for an unknown command or argument. */
function isUsage(error: unknown): boolean {
  return error instanceof Error && error.name === "CLIError";
}
