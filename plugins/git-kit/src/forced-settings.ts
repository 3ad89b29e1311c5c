/**
 * Settings that override every configuration file. The repository's own configuration is not read at all, so these cover
 * defaults and settings of the user or the system that write, prompt, fetch or start a program.
 */
const FORCED_SETTINGS: Readonly<Record<string, string>> = {
  "core.askPass": "",
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.sshCommand": "false",
  "credential.helper": "",
  // Would write the index.
  "diff.autoRefreshIndex": "false",
  // Would start git in submodules, with their own configuration.
  "diff.ignoreSubmodules": "dirty",
  "diff.submodule": "short",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.ssh.program": "false",
  "gpg.x509.program": "false",
  // `remerge` would run merge drivers and write objects.
  "log.diffMerges": "separate",
  "log.showSignature": "false",
  "protocol.allow": "never",
  "protocol.ext.allow": "never",
  "safe.bareRepository": "explicit",
};

/** No prompts, no locks, no fetches. */
const QUIET: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "",
  GIT_ASKPASS: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "",
};

/**
 * Where git is started; `-C` names the folder to read. The git on `PATH` may be the shim of a version manager, which takes
 * the program to run from a file in its working directory.
 */
export const GIT_CWD = "/";

/**
 * Variables with which git only reads, for the daemon's calls and for those of agents. Every other `GIT_` variable of the
 * given environment is unset: one may name another repository.
 *
 * @param more Settings of this call only.
 */
export function readingVariables(
  environment: NodeJS.ProcessEnv,
  more: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const variables: Record<string, string | undefined> = {};
  for (const name of Object.keys(environment))
    if (name.startsWith("GIT_")) variables[name] = undefined;
  return Object.assign(
    variables,
    QUIET,
    toVariables({ ...FORCED_SETTINGS, ...more }),
  );
}

/** What writing does beside: files are packed, a signature is made, submodules are pushed. */
const WRITING_SETTINGS: Readonly<Record<string, string>> = {
  ...FORCED_SETTINGS,
  "commit.gpgSign": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "push.gpgSign": "false",
  "push.recurseSubmodules": "no",
};
/** Where a push may go: no program of the repository's choice is started for them. */
const REMOTE_PROTOCOLS = ["http", "https", "ssh"];

/**
 * Variables with which git writes and starts no program that the repository names, nor hooks and signatures of the user.
 *
 * @param reachesOut Whether it may go to a remote, with the user's own settings for that.
 */
export function writingVariables(
  environment: NodeJS.ProcessEnv,
  reachesOut: boolean,
): Record<string, string | undefined> {
  const fixed = { GIT_LITERAL_PATHSPECS: "1", LC_ALL: "C" };
  if (!reachesOut)
    return { ...readingVariables(environment, WRITING_SETTINGS), ...fixed };
  const {
    "core.askPass": _askPass,
    "core.sshCommand": _sshCommand,
    "credential.helper": _helper,
    ...settings
  } = WRITING_SETTINGS;
  const allowed = REMOTE_PROTOCOLS.map((name) => [
    `protocol.${name}.allow`,
    "always",
  ]);
  return {
    ...readingVariables(environment),
    ...toVariables({ ...settings, ...Object.fromEntries(allowed) }),
    ...fixed,
    GIT_ALLOW_PROTOCOL: undefined,
  };
}

/** Variables that lead git to another repository than the one of its folder. */
const PLACES =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|LITERAL_PATHSPECS|CONFIG|CONFIG_(COUNT|PARAMETERS|KEY_.*|VALUE_.*))$/;

/** Variables with which git does what it does in the user's terminal, and asks nothing. */
export function userVariables(
  environment: NodeJS.ProcessEnv,
): Record<string, string | undefined> {
  const places = Object.keys(environment).filter((name) => PLACES.test(name));
  return {
    ...Object.fromEntries(places.map((name) => [name, undefined])),
    GIT_EDITOR: ":",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    // What git says is looked into; hooks keep the user's locale.
    LANGUAGE: "en",
  };
}

function toVariables(
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(entries.length)],
    ...entries.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}
