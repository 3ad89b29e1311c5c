import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { killGroup } from "./markers.ts";

/** Start files of shells may load much; one that takes longer is not waited for. */
const MAX_SHELL_MS = 5_000;
const MAX_OUTPUT_CHARS = 100_000;
/** Start files may print; what is between two of these is the answer. */
const MARK = "<gantry-path>";
/** Shells that read all of their start files when they are asked to be login shells and interactive. */
const INTERACTIVE_SHELLS: ReadonlySet<string> = new Set([
  "bash",
  "fish",
  "ksh",
  "zsh",
]);
/** Folders in which installers put programs, below the user's home unless absolute. */
const USUAL_FOLDERS = [
  ".local/bin",
  "bin",
  ".bun/bin",
  ".cargo/bin",
  ".claude/local",
  ".deno/bin",
  ".local/share/mise/shims",
  ".local/share/pnpm",
  ".npm-global/bin",
  ".opencode/bin",
  ".volta/bin",
  "Library/pnpm",
  "/opt/homebrew/bin",
  "/home/linuxbrew/.linuxbrew/bin",
  "/usr/local/bin",
  "/snap/bin",
];

/**
 * Completes the PATH of an environment, so that programs are found as the user's shell finds them. A daemon that a service
 * manager starts has a short PATH, without what the user's start files add: such an environment, which comes from no shell,
 * gets the PATH of the user's login shell, after the folders that only its own has. All get the folders that installers use
 * at the end, if they exist.
 */
export async function completePath(
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { HOME: home, SHLVL, PATH = "" } = environment;
  if (process.platform === "win32" || !home || !isAbsolute(home)) return;
  const own = PATH.split(delimiter).filter(Boolean);
  const login = SHLVL === undefined ? await readLoginPath(environment) : [];
  const path = [
    ...own.filter((folder) => !login.includes(folder)),
    ...login,
    ...own,
    ...(await findUsualFolders(home)),
  ];
  environment.PATH = [...new Set(path)].join(delimiter);
}

async function findUsualFolders(home: string): Promise<string[]> {
  const folders = USUAL_FOLDERS.map((folder) =>
    isAbsolute(folder) ? folder : join(home, folder),
  );
  const found = await Promise.all(
    folders.map((folder) =>
      stat(folder).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    ),
  );
  return folders.filter((_, at) => found[at]);
}

/** The PATH of the user's login shell; empty if the shell does not say it. */
async function readLoginPath(
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const shell = environment.SHELL || userInfo().shell || "/bin/sh";
  const options = INTERACTIVE_SHELLS.has(basename(shell)) ? "-ilc" : "-lc";
  const child = spawn(
    shell,
    [options, `printf '%s' '${MARK}' "$PATH" '${MARK}'`],
    {
      cwd: environment.HOME,
      env: { ...environment, TERM: "dumb" },
      stdio: ["ignore", "pipe", "ignore"],
      // A session of its own: an interactive shell would stop if it is not in front on a terminal.
      detached: true,
    },
  );
  const kill = () => void (child.pid && killGroup(child.pid));
  const timer = setTimeout(kill, MAX_SHELL_MS);
  let output = "";
  await new Promise<void>((resolve) => {
    child.on("error", () => resolve()).on("close", () => resolve());
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARS);
      // What start files left in the background may hold the output open.
      if (output.split(MARK).length > 2) resolve();
    });
  });
  clearTimeout(timer);
  kill();
  const [, path = "", end] = output.split(MARK);
  if (end === undefined) return [];
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}
