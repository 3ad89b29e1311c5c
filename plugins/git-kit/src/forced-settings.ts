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
  const settings = Object.entries({ ...FORCED_SETTINGS, ...more });
  Object.assign(variables, QUIET, {
    GIT_CONFIG_COUNT: String(settings.length),
  });
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
