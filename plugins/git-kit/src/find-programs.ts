import { createHash } from "node:crypto";
import { access, constants, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { ConfigEntry } from "./config-text.ts";
import type { Repository } from "./find-repository.ts";
import type { GitPrograms } from "./git.ts";
import { isOn, keepSettings } from "./kept-settings.ts";
import { readPlainFile } from "./read-plain-file.ts";

/** Hooks that a commit, its undoing, a push or a new working tree runs. */
const HOOKS = [
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "pre-push",
  "post-checkout",
  "reference-transaction",
  "post-index-change",
];
const MAX_HOOK_BYTES = 1024 * 1024;
/** Settings whose value is, or leads to, a program that these commands run. */
const PROGRAM_KEYS =
  /^(core\.(sshcommand|fsmonitor|askpass|alternaterefscommand|gitproxy)|credential\..*|gpg\..*program|hook\..*command|include(if)?\..*path|filter\..*\.(clean|process)|remote\..*\.(vcs|receivepack))$/;
/** Settings that name no program, unless they are among those above. */
const PLAIN_SECTIONS = new Set([
  ...["advice", "branch", "color", "fetch", "gc", "init", "log", "maintenance"],
  ...["pull", "push", "rebase", "remote", "submodule", "user"],
]);

/**
 * Finds what git would run of a repository's and the user's own for a commit and a push. Runs nothing.
 *
 * @param user Settings of the user and the system, as far as they matter: `core.hooksPath` and `commit.gpgSign`.
 */
export async function findPrograms(
  { root, common, config }: Repository,
  user: readonly ConfigEntry[],
): Promise<GitPrograms> {
  const { entries = [] } = config;
  const all = [...user, ...entries];
  const hooks = await findHooks(root, common, all);
  const named = entries
    .map((entry) => ({ entry, name: toName(entry) }))
    .filter(({ name }) => PROGRAM_KEYS.test(name.toLowerCase()));
  const filters = unique(
    named
      .filter(({ entry }) => entry.section === "filter")
      .map(({ entry }) => entry.subsection ?? ""),
  );
  const kept = new Set(keepSettings(entries));
  const programs = new Set(named.map(({ entry }) => entry));
  const digest = createHash("sha256").update(
    JSON.stringify([
      entries
        .filter(
          (entry) =>
            programs.has(entry) ||
            !(kept.has(entry) || PLAIN_SECTIONS.has(entry.section)),
        )
        .map(({ section, subsection, key, value }) => [
          ...[section, subsection ?? null, key, value],
        ]),
      hooks.map(({ name, digest }) => [name, digest]),
    ]),
  );
  return {
    items: unique([
      ...hooks.map(({ name }) => `${name} hook`),
      ...(isOn(all, "commit", "gpgsign") ? ["signing"] : []),
      ...filters.map((name) => `filter ${toText(name)}`),
      ...named
        .filter(({ entry }) => entry.section !== "filter")
        .map(({ name }) => name),
    ]),
    filters,
    mark: digest.digest("hex"),
  };
}

async function findHooks(
  root: string,
  common: string,
  entries: readonly ConfigEntry[],
): Promise<{ name: string; digest: string }[]> {
  const set = entries.findLast(
    ({ section, subsection, key }) =>
      section === "core" && subsection === undefined && key === "hookspath",
  )?.value;
  const folder = set
    ? resolve(root, toText(set).replace(/^~(?=\/|$)/, homedir()))
    : join(common, "hooks");
  const names = new Set(await readdir(folder).catch(() => []));
  const found = await Promise.all(
    HOOKS.filter((name) => names.has(name)).map(async (name) => {
      const file = join(folder, name);
      const runs = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (!runs) return [];
      const bytes = await realpath(file)
        .then((real) => readPlainFile(real, MAX_HOOK_BYTES))
        .catch(({ code }: NodeJS.ErrnoException) => Buffer.from(code ?? ""));
      const digest = createHash("sha256").update(bytes).digest("hex");
      return [{ name, digest }];
    }),
  );
  return found.flat();
}

function toName({ section, subsection, key }: ConfigEntry): string {
  return [section, ...(subsection === undefined ? [] : [subsection]), key]
    .map(toText)
    .join(".");
}

/** A part of a configuration, which is read with a character for each byte. */
function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
