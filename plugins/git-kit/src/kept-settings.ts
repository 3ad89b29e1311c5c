import type { ConfigEntry } from "./config-text.ts";

/**
 * Keys that git reads from a repository's configuration: how files are stored and compared, and what branches track. All
 * others are dropped, because a deny list would miss the keys for programs that later versions of git add.
 */
const KEPT: Readonly<Record<string, RegExp>> = {
  branch: /^(remote|merge|pushremote)$/,
  core: /^(abbrev|autocrlf|bare|bigfilethreshold|checkstat|commitgraph|eol|filemode|ignorecase|multipackindex|notesref|precomposeunicode|protecthfs|protectntfs|quotepath|repositoryformatversion|sparsecheckout|sparsecheckoutcone|symlinks|trustctime|untrackedcache|usereplacerefs|warnambiguousrefs)$/,
  index: /^sparse$/,
  push: /^default$/,
  remote: /^(fetch|pushdefault|pushurl|url)$/,
  status: /^(aheadbehind|renamelimit|renames|showuntrackedfiles)$/,
  url: /^(insteadof|pushinsteadof)$/,
  // Who commits in it.
  user: /^(email|name)$/,
};
/** Sections whose keys need a subsection. */
const NAMED = new Set(["branch", "remote", "url"]);
/** Extensions that are applied before (a second configuration file) or refused (fetching missing objects). */
const HANDLED_EXTENSIONS = new Set(["worktreeconfig", "partialclone"]);

/** Filters the entries that git may read, in their order. */
export function keepSettings(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return entries.filter(isKept);
}

function isKept({ section, subsection, key, value }: ConfigEntry): boolean {
  // eslint-disable-next-line no-control-regex -- no valid value of these keys has one
  if (/[\u0000-\u001f\u007f]/.test(`${subsection ?? ""}${value ?? ""}`))
    return false;
  // An extension that git does not know makes git refuse the repository.
  if (section === "extensions") return !HANDLED_EXTENSIONS.has(key);
  const hasName = subsection !== undefined;
  const takesName = NAMED.has(section) && key !== "pushdefault";
  return (
    hasName === takesName &&
    Object.hasOwn(KEPT, section) &&
    KEPT[section]!.test(key)
  );
}

/** Finds an extension whose value is a path or an address, from which git would read a part of the repository. */
export function findAddressExtension(
  entries: readonly ConfigEntry[],
): string | undefined {
  return entries.find(
    ({ section, key, value }) =>
      section === "extensions" &&
      !HANDLED_EXTENSIONS.has(key) &&
      !/^[\w.-]*$/.test(value ?? ""),
  )?.key;
}

/** Whether a boolean setting is true, in any notation that git accepts. */
export function isOn(
  entries: readonly ConfigEntry[],
  section: string,
  key: string,
): boolean {
  const found = entries.findLast(
    (entry) =>
      entry.section === section &&
      entry.subsection === undefined &&
      entry.key === key,
  );
  if (!found) return false;
  return (
    found.value === null || /^(true|yes|on|0*[1-9]\d*)$/i.test(found.value)
  );
}
