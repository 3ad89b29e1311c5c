/** One line of `git config --list --show-scope -z`. */
export interface Setting {
  scope: string;
  key: string;
  value: string;
}

/** Scopes that the user or the machine wrote; what a repository brings along is in none of them. */
const TRUSTED_SCOPES = new Set(["system", "global"]);

/** Settings that name a program for reading commands, whose middle part anybody can choose. */
const NAMED_PROGRAM =
  /^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|gpg\..*\.program)$/s;

/** Settings that are fixed, whoever wrote another value. */
const FIXED: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.sshCommand", "false"],
  ["core.askPass", ""],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["gpg.program", "false"],
  ["interactive.diffFilter", ""],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["protocol.ext.allow", "never"],
  ["safe.bareRepository", "explicit"],
  ["status.submoduleSummary", "false"],
];

/** Reads what `git config --list --show-scope -z` prints. */
export function parseSettings(output: string): Setting[] {
  const fields = output.split("\0");
  const settings: Setting[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", pair = ""] = [fields[index], fields[index + 1]];
    // Only the first line ends the key; values may have several.
    const end = pair.indexOf("\n");
    const key = end < 0 ? pair : pair.slice(0, end);
    settings.push({ scope, key, value: end < 0 ? "" : pair.slice(end + 1) });
  }
  return settings;
}

/**
 * The settings to force on git, so that no program of the repository's choice runs: those that are fixed, and each that
 * names a program and came with the repository, with the user's own value or none.
 */
export function overridesOf(
  settings: readonly Setting[],
): (readonly [key: string, value: string])[] {
  const trusted = new Map<string, string>();
  const foreign = new Set<string>();
  for (const { scope, key, value } of settings) {
    if (!NAMED_PROGRAM.test(key)) continue;
    if (TRUSTED_SCOPES.has(scope)) trusted.set(key, value);
    else foreign.add(key);
  }
  const named = [...foreign].map((key) => {
    const fallback = key.endsWith(".required") ? "false" : "";
    return [key, trusted.get(key) ?? fallback] as const;
  });
  return [...FIXED, ...named];
}

/** Environment that gives git settings over all files; unlike `-c`, a name may have any characters. */
export function settingsEnvironment(
  settings: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const environment: Record<string, string> = {
    GIT_CONFIG_COUNT: String(settings.length),
  };
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}
