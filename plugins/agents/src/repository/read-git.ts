import type { Git, GitCommand, GitOptions, GitResult } from "@gantry/git-kit";
import { toVisibleText } from "@gantry/plugin";
import { errors } from "../errors.ts";

const MAX_NOTICE_LENGTH = 300;
const MAX_NOTICES = 10;
/** How git says that an object is not there. */
const MISSING =
  /unable to read|missing (blob|tree|object|commit)|bad (blob|tree|object|file)|could not (fetch|get|read) (object|tree)|not a (valid|tree) object|promisor|lazy fetching|object .* is missing|could not parse|failed to traverse/i;

/** Runs a reading command that is to succeed. @throws GIT_FAILED, GIT_OBJECT_MISSING */
export async function readGit(
  git: Git,
  folder: string,
  command: GitCommand,
  args: readonly string[],
  options?: GitOptions,
): Promise<GitResult> {
  const result = await git(folder, command, args, options);
  if (!isRead(result)) throw toGitError(command, result);
  return result;
}

/** Like `Promise.all`, but nothing is still running when it fails: an answer is not sent while git still runs for it. */
export async function readAll<Reads extends readonly Promise<unknown>[] | []>(
  reads: Reads,
): Promise<{ -readonly [Index in keyof Reads]: Awaited<Reads[Index]> }> {
  await Promise.allSettled(reads);
  return await Promise.all(reads);
}

/** Whether a command succeeded. What is cut short ends as git likes. */
export function isRead({ code, truncated }: GitResult): boolean {
  return code === 0 || truncated;
}

/** The error for a command that failed, with what git said. */
export function toGitError(command: string, { stderr }: GitResult) {
  const reason = toNotices(stderr).join(" ") || "it said nothing";
  return MISSING.test(stderr)
    ? errors.GIT_OBJECT_MISSING({ reason })
    : errors.GIT_FAILED({ command, reason });
}

/** What git wrote to stderr, line by line, cut, and with everything visible in it. */
export function toNotices(stderr: string): string[] {
  const lines = stderr
    .split("\n")
    .map((line) => line.replace(/^(fatal|error|warning): /, "").trim())
    .filter((line) => line !== "" && !line.startsWith("hint:"));
  const told = [...new Set(lines)].slice(0, MAX_NOTICES);
  return told.map((line) =>
    toVisibleText(
      line.length > MAX_NOTICE_LENGTH
        ? `${line.slice(0, MAX_NOTICE_LENGTH)}…`
        : line,
    ),
  );
}

/** The fields of an output that ends each with a NUL. What was cut off in the middle is left out. */
export function splitFields({ stdout, truncated }: GitResult): string[] {
  const fields = stdout.split("\0");
  const last = fields.pop();
  if (last && !truncated) fields.push(last);
  return fields;
}
