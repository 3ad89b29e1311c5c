import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SHELL_FILES } from "./shell-scripts.ts";
import type { ProgramToStart } from "../wire/protocol.ts";

/** A shell that is ready to be started, and the nonce of its marks; `null` if it does not tell when it is at its prompt. */
export interface IntegratedShell {
  program: ProgramToStart;
  nonce: string | null;
}

/** Puts our shell integration into shells. */
export interface ShellIntegration {
  integrate(file: string): IntegratedShell;
}

/**
 * Writes the files of the integration into a folder.
 *
 * @param userZdotdir Where the user's own zsh looks for its files, if the user set it.
 */
export async function createShellIntegration(
  folder: string,
  userZdotdir: string | undefined,
): Promise<ShellIntegration> {
  for (const [name, text] of Object.entries(SHELL_FILES)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }

  return {
    integrate(file) {
      const nonce = randomBytes(16).toString("hex");
      const env = { GANTRY_SHELL_NONCE: nonce };
      switch (basename(file)) {
        case "bash":
          return {
            program: { file, args: ["--rcfile", join(folder, "bash.rc")], env },
            nonce,
          };
        case "zsh":
          return {
            program: {
              file,
              args: [],
              env: {
                ...env,
                ZDOTDIR: join(folder, "zsh"),
                GANTRY_USER_ZDOTDIR: userZdotdir ?? "",
              },
            },
            nonce,
          };
        case "fish":
          return {
            program: {
              file,
              args: [
                "--init-command",
                `source ${quote(join(folder, "init.fish"))}`,
              ],
              env,
            },
            nonce,
          };
        default:
          return { program: { file, args: [], env: {} }, nonce: null };
      }
    },
  };
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
