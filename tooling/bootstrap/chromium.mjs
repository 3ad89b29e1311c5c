import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

/** Chromium without windows and viewers: all that most tests need, for three quarters of the processor's time. */
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
 * Finds a browser; on Debian, root installs one where there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined} its path; `undefined` after one line that says why, and {@link CHROMIUM_HINT}
 */
export function ensureChromium(env = process.env) {
  const found = findChromium(env);
  if (found) return found;
  if (!env.GANTRY_CHROMIUM && mayInstall()) {
    console.error("Installing Chromium for the browser tests (once)…");
    const problem = install(env);
    const installed = findChromium(env);
    if (installed) return installed;
    console.error(
      `Chromium was not installed: ${problem ?? "what apt-get installed does not start"}. ${CHROMIUM_HINT}`,
    );
    return undefined;
  }
  console.error(CHROMIUM_HINT);
  return undefined;
}

function mayInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

/** Installs the newest one that there is. Returns what went wrong, if anything did. */
function install(env) {
  const aptGet = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], {
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "inherit"],
    }).status === 0;
  // The lists of an image are as old as the image, and the versions that they name may be gone. Offline they must do.
  const isUpdated = aptGet("update");
  // Not every release has the one without windows.
  const isInstalled = [
    ["chromium", "chromium-headless-shell"],
    ["chromium"],
  ].some((packages) =>
    aptGet("install", "--no-install-recommends", ...packages),
  );
  if (isInstalled) return undefined;
  return isUpdated
    ? "`apt-get install chromium` failed"
    : "`apt-get update` failed, and `apt-get install chromium` with the older lists too";
}

function starts(path) {
  const { status } = spawnSync(path, ["--version"], {
    stdio: "ignore",
    timeout: 20_000,
  });
  return status === 0;
}
