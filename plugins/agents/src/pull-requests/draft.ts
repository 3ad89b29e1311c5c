import type { Git } from "@gantry/git-kit";
import { readGit, splitFields } from "../repository/read-git.ts";
import { cutText } from "../transcript/entry.ts";
import { cutBytes, toPlainText } from "../plain-text.ts";
import type { Plan } from "./plan.ts";

/** What GitHub takes. */
export const MAX_TITLE_LENGTH = 256;
/** Below what GitHub takes, which is 65,536 characters. */
export const MAX_BODY_BYTES = 60_000;

const MAX_SUBJECTS = 50;
const MAX_SUBJECT_LENGTH = 300;

/** What a new pull request would say. */
export interface PullRequestDraft {
  title: string;
  body: string;
  base: string;
  /** The repository that it is for, such as `github.com/ann/it`. */
  repository: string;
}

/** Writes a pull request from the commits of its branch. Merges into the branch are no part of the work. */
export async function writeDraft(
  git: Git,
  folder: string,
  { branch, place, base, range }: Plan,
): Promise<PullRequestDraft> {
  const { title, body } = await readText(git, folder, branch, range);
  return {
    title: cutTitle(toPlainText(title).replaceAll(/\s+/g, " ").trim()),
    body: cutBytes(toPlainText(body).trim(), MAX_BODY_BYTES),
    base,
    repository: place,
  };
}

async function readText(
  git: Git,
  folder: string,
  branch: string,
  range: readonly string[],
): Promise<{ title: string; body: string }> {
  const otherwise = { title: toTitle(branch), body: "" };
  if (range.length === 0) return otherwise;
  const commits = ["--no-merges", ...range];
  const counted = await readGit(git, folder, "rev-list", [
    "--count",
    ...commits,
  ]);
  const total = Number(counted.stdout.trim());
  if (total === 0) return otherwise;
  if (total === 1) {
    const one = await readGit(git, folder, "log", [
      "--format=%s%x00%b%x00",
      ...commits,
    ]);
    const [title = "", body = ""] = splitFields(one);
    return title.trim() === "" ? { ...otherwise, body } : { title, body };
  }
  const listed = await readGit(git, folder, "log", [
    "-z",
    "--format=%s",
    // Skips those at the end, which are the newest.
    `--skip=${Math.max(0, total - MAX_SUBJECTS)}`,
    "--reverse",
    ...commits,
  ]);
  const lines = splitFields(listed).map(
    (subject) => `- ${cutText(subject.trim(), MAX_SUBJECT_LENGTH).text}`,
  );
  const left = total - lines.length;
  if (left > 0) lines.push("", `And ${left} more.`);
  return { ...otherwise, body: lines.join("\n") };
}

/** A title from the name of a branch: `feature/tax-rates` becomes "Tax rates". */
function toTitle(branch: string): string {
  const name = branch.slice(branch.lastIndexOf("/") + 1);
  const words = name.replaceAll(/[-_]+/g, " ").trim() || branch;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function cutTitle(title: string): string {
  const { text, truncated } = cutText(title, MAX_TITLE_LENGTH - 1);
  return truncated && title.length > MAX_TITLE_LENGTH ? `${text}…` : title;
}
