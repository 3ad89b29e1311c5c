import { access, constants, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, isAbsolute } from "node:path";
import type { Run } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { ProgramToStart } from "../wire/protocol.ts";
import type { ShellIntegration } from "./shell-integration.ts";

/** What a terminal is to show. */
export interface ChosenProgram {
  program: ProgramToStart;
  nonce: string | null;
  /** As people would call it. */
  command: string;
  /** Name of the agent CLI; `null` for a shell. */
  cli: string | null;
}

/** What programs are looked up with. */
export interface ProgramHost {
  run: Run;
  integration: ShellIntegration;
  /** From the settings. */
  shell: string | undefined;
}

/**
 * The program for a terminal that a user asks for: the user's shell, another one, or a command line that the user's shell reads.
 *
 * @throws `TERMINAL_COMMAND_MISSING`, `TERMINAL_NOT_STARTED`
 */
export async function chooseProgram(
  host: ProgramHost,
  kind: "shell" | "cli",
  command: string | undefined,
): Promise<ChosenProgram> {
  if (kind === "shell") {
    const file = await findShell(host, command);
    const shell = host.integration.integrate(file);
    return { ...shell, command: basename(file), cli: null };
  }
  const line = command?.trim();
  if (!line)
    throw errors.TERMINAL_COMMAND_MISSING({
      reason:
        "A terminal of the kind cli shows a program: give its command line as `command`.",
    });
  const [first = line] = line.split(/\s+/);
  return {
    program: { file: await findShell(host), args: ["-c", line], env: {} },
    nonce: null,
    command: line,
    cli: basename(first),
  };
}

async function findShell(
  { run, shell }: ProgramHost,
  wanted = shell ?? ownShell(),
): Promise<string> {
  const file = isAbsolute(wanted) ? wanted : await run.find(wanted);
  await checkProgram(file ?? wanted);
  return file ?? wanted;
}

/**
 * Checks that a program is there and may be run.
 *
 * @throws `TERMINAL_NOT_STARTED`
 */
export async function checkProgram(file: string): Promise<void> {
  const isProgram =
    isAbsolute(file) &&
    (await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    ));
  if (!isProgram)
    throw errors.TERMINAL_NOT_STARTED({
      name: basename(file),
      reason: "there is no such program, or it may not be run",
    });
}

function ownShell(): string {
  return process.env.SHELL || userInfo().shell || "/bin/sh";
}
