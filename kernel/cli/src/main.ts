import { isGantryError } from "@gantry/plugin";
import type { Command } from "commander";
import { createGroup } from "./command-line/create-command.ts";
import { runCommandLine } from "./command-line/run-command-line.ts";
import { restoreEnvironment } from "@gantry/system/processes/restore-environment";
import { createRedactor } from "@gantry/system/log/redact";
import { isUserError } from "@gantry/system/user-error";
import { version } from "@gantry/kernel/version";

/** The daemon's own commands. What they run is loaded with them. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serve,
  pair: async () => (await import("./commands/pair.ts")).pair,
  token: async () => (await import("./commands/token.ts")).token,
  plugins: async () => (await import("./commands/plugins.ts")).plugins,
  rehearse: async () => (await import("./commands/rehearse.ts")).rehearse,
  audit: async () => (await import("./commands/audit.ts")).audit,
};

/** Creates the tree of the daemon's own commands, or of those that are named. */
export async function createRoot(
  names: readonly string[] = Object.keys(COMMANDS),
): Promise<Command> {
  const root = createGroup(
    "gantry",
    "Manages coding-agent sessions on this machine",
  );
  for (const name of names)
    // Only the daemon itself runs that one.
    root.addCommand(await COMMANDS[name]!(), { hidden: name === "rehearse" });
  return root;
}

/** Runs a command line. Prints one clear line for everything that the user can fix. */
export async function main(args: readonly string[]): Promise<void> {
  restoreEnvironment(process.env);
  try {
    const [first = "--help"] = args;
    if (args.length === 1 && (first === "--version" || first === "-v"))
      return console.log(version);
    const typed = args.length === 0 ? [first] : args;
    const isOwn = Object.hasOwn(COMMANDS, first);
    const root = await createRoot(isOwn ? [first] : undefined);
    // Those of plugins are looked for only where a command line may mean one of them, or asks what there is.
    if (!isOwn)
      await (
        await import("./plugin-commands/add-plugin-commands.ts")
      ).addPluginCommands(root, typed);
    await runCommandLine(root, typed);
  } catch (error) {
    const exitCode = exitCodeOf(error);
    process.exitCode = exitCode ?? 1;
    const redact = createRedactor({ environment: process.env });
    const message = error instanceof Error ? error.message : String(error);
    console.error(`gantry: ${redact(message)}`);
    // An error that is worded for users says everything; for any other the stack may help.
    if (exitCode === undefined && error instanceof Error)
      console.error(redact(error.stack ?? ""));
  }
}

/** The exit code of an error that is worded for users, `undefined` for any other. */
function exitCodeOf(error: unknown): number | undefined {
  if (isUserError(error)) return error.exitCode;
  return isGantryError(error) ? 1 : undefined;
}
