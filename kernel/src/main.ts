import { stripVTControlCharacters } from "node:util";
import { isGantryError } from "@gantry/plugin";
import { defineCommand, renderUsage, runCommand } from "citty";
import { resolveCommand } from "./command-line/resolve-command.ts";
import type { ResolvedCommand } from "./command-line/resolve-command.ts";
import { withPluginCommands } from "./plugin-commands/with-plugin-commands.ts";
import { restoreEnvironment } from "./processes/restore-environment.ts";
import { createRedactor } from "./log/redact.ts";
import { UserError } from "./user-error.ts";
import { version } from "./version.ts";

/** The tree of all commands. */
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
    rehearse: () =>
      import("./commands/rehearse.ts").then((module) => module.rehearse),
    audit: () => import("./commands/audit.ts").then((module) => module.audit),
  },
});

/** Runs a command line. Prints one clear line for everything that the user can fix. */
export async function main(args: readonly string[]): Promise<void> {
  restoreEnvironment(process.env);
  try {
    const [first] = args;
    if (args.length === 1 && (first === "--version" || first === "-v"))
      return console.log(version);
    const typed = args.length === 0 ? ["--help"] : args;
    const { root, notes } = await withPluginCommands(command, typed);
    const resolved = await resolveCommand(root, "gantry", typed);
    if (resolved.action === "help") {
      await printUsage(resolved);
      if (resolved.command === root)
        for (const note of notes) console.log(note);
      return;
    }
    await runCommand(resolved.command, { rawArgs: resolved.rawArgs });
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

async function printUsage({ command, words }: ResolvedCommand): Promise<void> {
  const above = words.slice(0, -1).join(" ");
  // citty names one level above a command only.
  const usage = await renderUsage(command, { meta: { name: above, version } });
  console.log(process.stdout.isTTY ? usage : stripVTControlCharacters(usage));
}

/** The exit code of an error that is worded for users, `undefined` for any other. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UserError) return error.exitCode;
  return isGantryError(error) ? 1 : undefined;
}
