import { stripVTControlCharacters } from "node:util";
import type { GitResult, GitWriteCommand } from "@gantry/git-kit";
import { errors } from "../errors.ts";
import { toPlainText } from "../plain-text.ts";
import { toGitError, toNotices } from "../repository/read-git.ts";

/** What was being done when git failed. */
interface Attempt {
  command: GitWriteCommand;
  /** Whether it ran hooks and the like. */
  programs: boolean;
  /** Of a push. */
  remote?: string;
  branch?: string;
}

const MAX_OUTPUT = 16 * 1024;

/** The error for a command that writes and failed. */
export function toWriteError(
  { command, programs, remote = "", branch = "" }: Attempt,
  result: GitResult,
): Error {
  const { stderr } = result;
  const reason = hidePasswords(toNotices(stderr).join(" "));
  const lock = /Unable to create '([^']+\.lock)': File exists/.exec(
    stderr,
  )?.[1];
  if (lock) return errors.GIT_BUSY({ lock });
  if (command === "push") {
    const found = PUSH_FAULTS.find(([pattern]) => pattern.test(stderr));
    if (found) return found[1]({ remote, branch, reason: found[2] ?? reason });
    if (programs && /failed to push some refs/i.test(stderr))
      return toHookError("push", result);
  }
  if (command === "commit") {
    if (/tell me who you are|empty ident name|auto-detect email/i.test(stderr))
      return errors.GIT_IDENTITY_MISSING();
    if (/failed to sign the data/i.test(stderr))
      return errors.GIT_SIGNING_FAILED({ reason });
    if (/you have unmerged files/i.test(stderr))
      return errors.GIT_CONFLICTED({ files: "Some files are" });
    // git itself ends with 128.
    if (programs && result.code === 1) return toHookError("commit", result);
  }
  const fault = toGitError(command, result);
  return fault.code === "GIT_OBJECT_MISSING"
    ? fault
    : errors.GIT_WRITE_FAILED({ command, reason: reason || "it said nothing" });
}

/** An address may hold one. */
export function hidePasswords(text: string): string {
  return text.replace(/(\b[a-z+]+:\/\/)[^/@\s]*@/gi, "$1");
}

function toHookError(what: string, result: GitResult): Error {
  return errors.GIT_HOOK_FAILED(
    { what },
    { members: { output: toOutput(result) } },
  );
}

/** What git and its hooks printed, as a person reads it. */
export function toOutput({ stdout, stderr }: GitResult): string {
  const text = [stderr, stdout].map((part) => part.trim()).join("\n");
  // Of a line that a program writes again and again, such as a percentage, only the last state is kept.
  const lines = stripVTControlCharacters(text.trim()).replace(
    /^.*\r(?!\n)/gm,
    "",
  );
  return hidePasswords(toPlainText(lines)).slice(-MAX_OUTPUT);
}

type PushFault = (values: {
  remote: string;
  branch: string;
  reason: string;
}) => Error;

/** What git says of a push that failed, the first that fits, and a reason in our words where git's are long. */
const PUSH_FAULTS: readonly [RegExp, PushFault, string?][] = [
  [
    /\((fetch first|non-fast-forward)\)/,
    errors.GIT_PUSH_REJECTED,
    "it has commits that are not here; take them in first (git pull --rebase)",
  ],
  [
    /\[remote rejected\]|\[rejected\]|pre-receive hook/,
    errors.GIT_PUSH_REJECTED,
  ],
  [
    /transport '[^']*' not allowed|protocol '[^']*' is not supported|unable to find remote helper/i,
    ({ remote }) =>
      errors.GIT_PROGRAMS_NEEDED({
        reason: `${remote} is no address of HTTP or SSH, so a push to it starts programs on this machine`,
      }),
  ],
  [
    /Permission denied|Authentication failed|could not read (Username|Password)|terminal prompts disabled|Host key verification failed|HTTP 40[13]|error: 40[13]|access denied/i,
    errors.GIT_PUSH_DENIED,
  ],
  [
    /Could not resolve host|Connection (refused|timed out|closed|reset)|Network is unreachable|No route to host|Failed to connect|Operation timed out|does not appear to be a git repository|Repository not found|repository '[^']*' not found|Could not read from remote/i,
    errors.GIT_REMOTE_UNREACHABLE,
  ],
];
