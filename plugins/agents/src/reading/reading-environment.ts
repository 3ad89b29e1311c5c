/** Settings of git that keep it from running a program or writing when it only reads, over whatever a repository says. */
const GIT_SETTINGS = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["diff.autoRefreshIndex", "false"],
  ["diff.external", ""],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
] as const;

/** The environment of a CLI whose shell is only there to read. */
export const READING_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_ASKPASS: "",
  GIT_NO_LAZY_FETCH: "1",
  // Else `git status` writes the index anew.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
  GIT_CONFIG_COUNT: String(GIT_SETTINGS.length),
  ...Object.fromEntries(
    GIT_SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
