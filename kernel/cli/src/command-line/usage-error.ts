import { UserError } from "@gantry/system/user-error";

/** A command line that no command accepts. Nothing was run. */
export class UsageError extends UserError {
  override readonly exitCode = 2;

  /** @param command What `--help` is to be typed after, such as `gantry plugins`. */
  constructor(problem: string, command: string) {
    super(`${problem} See "${command} --help".`);
  }
}
