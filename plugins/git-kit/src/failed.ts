import type { GitResult } from "./git.ts";

/** The result of git for a repository that it does not read or write. */
export function failed(reason: string): GitResult {
  return {
    code: 128,
    stdout: "",
    stderr: `fatal: ${reason}\n`,
    truncated: false,
  };
}
