import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

/** Chromium without windows and viewers: all that most tests need, in about half the time. */
const HEADLESS_SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** How to get a browser, in one line. */
export const CHROMIUM_HINT =
  "Browser tests need Chromium or Chrome: install one (Debian: apt-get install chromium), or name it in GANTRY_CHROMIUM.";

/**
 * Finds a Chromium or Chrome of this machine: the one named in GANTRY_CHROMIUM, else one on PATH, else one in the
 * usual places. One that does not start, as a placeholder of some package does not, is passed over.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {{ hasViewers?: boolean }} [options] `hasViewers` for one that can also show a PDF
 * @returns {string | undefined} its path
 */
export function findChromium(env = process.env, { hasViewers = false } = {}) {
  const named = env.GANTRY_CHROMIUM;
  if (named && !(hasViewers && HEADLESS_SHELLS.includes(basename(named)))) {
    return starts(named) ? named : undefined;
  }
  const names = hasViewers ? NAMES : [...HEADLESS_SHELLS, ...NAMES];
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = names.flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return [...onPath, ...PLACES].find(
    (path) => existsSync(path) && starts(path),
  );
}

/**
 * Finds a browser; on Debian, root installs one where there is none, and one without windows beside any other.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} its path; `undefined` after {@link CHROMIUM_HINT} was shown
 */
export function ensureChromium(env = process.env) {
  const found = findChromium(env);
  const isFast = found && HEADLESS_SHELLS.includes(basename(found));
  if (!env.GANTRY_CHROMIUM && !isFast && mayInstall()) {
    console.error("Installing Chromium for the browser tests (once)…");
    if (found) installHeadlessShell(env);
    else install(env);
    const installed = findChromium(env);
    if (installed) return installed;
  }
  if (!found) console.error(CHROMIUM_HINT);
  return found;
}

function mayInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

function install(env) {
  // Not every release has the one without windows.
  const installChromium = () =>
    [["chromium", "chromium-headless-shell"], ["chromium"]].some((packages) =>
      aptGet(env, "install", "--no-install-recommends", ...packages),
    );
  // A machine that never updated has no list to install from.
  if (!installChromium() && aptGet(env, "update")) installChromium();
}

/** Gives up soon, since the tests also run without it, and each run tries again. */
function installHeadlessShell(env) {
  const limits = ["Acquire::Retries=0", "Acquire::http::Timeout=10"];
  aptGet(
    env,
    ...limits.flatMap((limit) => ["-o", limit]),
    ...["install", "--no-install-recommends", "chromium-headless-shell"],
  );
}

function aptGet(env, ...args) {
  const { status } = spawnSync("apt-get", ["-qq", "-y", ...args], {
    env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0;
}

function starts(path) {
  const { status } = spawnSync(path, ["--version"], {
    stdio: "ignore",
    timeout: 20_000,
  });
  return status === 0;
}
