import { UserError } from "@gantry/system/user-error";

/** A command line that no command accepts. Nothing was run. */
export class UsageError extends UserError {
  override readonly exitCode = 2;

  /** @param command The command whose `--help` the message suggests, such as `gantry plugins`. */
  constructor(problem: string, command: string) {
    super(`${problem} See "${command} --help".`);
  }
}
