import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

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
 * @returns {string | undefined} its path
 */
export function findChromium(env = process.env) {
  if (env.GANTRY_CHROMIUM) {
    return starts(env.GANTRY_CHROMIUM) ? env.GANTRY_CHROMIUM : undefined;
  }
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const onPath = NAMES.flatMap((name) =>
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
 * @returns {string | undefined} its path; `undefined` after {@link CHROMIUM_HINT} was shown
 */
export function ensureChromium(env = process.env) {
  const found = findChromium(env);
  if (found) return found;
  if (!env.GANTRY_CHROMIUM && mayInstall()) {
    console.error("Installing Chromium for the browser tests (once)…");
    install(env);
    const installed = findChromium(env);
    if (installed) return installed;
  }
  console.error(CHROMIUM_HINT);
  return undefined;
}

function mayInstall() {
  return existsSync("/etc/debian_version") && process.getuid?.() === 0;
}

function install(env) {
  const aptGet = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], {
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "inherit"],
    }).status === 0;
  const installChromium = () =>
    aptGet("install", "--no-install-recommends", "chromium");
  // A machine that never updated has no list to install from.
  if (!installChromium() && aptGet("update")) installChromium();
}

function starts(path) {
  const { status } = spawnSync(path, ["--version"], {
    stdio: "ignore",
    timeout: 20_000,
  });
  return status === 0;
}
