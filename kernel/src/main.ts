import { defineCommand, runCommand, showUsage } from "citty";
import { createRedactor } from "./log/redact.ts";
import { UserError } from "./user-error.ts";
import { version } from "./version.ts";

/** What can be typed. */
export const command = defineCommand({
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
    process.exitCode = exitCodeOf(error) ?? 1;
    const redact = createRedactor({ environment: process.env });
    const message = error instanceof Error ? error.message : String(error);
    console.error(`gantry: ${redact(message)}`);
    // What is worded for the terminal says all; of anything else the stack may help.
    if (exitCodeOf(error) === undefined && error instanceof Error)
      console.error(redact(error.stack ?? ""));
  }
}

/** What a fault of the user's ends with, `undefined` for any other. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UserError) return error.exitCode;
  // What citty throws for an unknown command or argument.
  return error instanceof Error && error.name === "CLIError" ? 2 : undefined;
}
