import { access, constants, readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Run } from "@gantry/plugin";
import { errors } from "../errors.ts";

/**
 * Browsers that speak the protocol. Those that users install for themselves come first, since they are kept up to date.
 */
const NAMES = [
  "google-chrome-stable",
  "google-chrome",
  "chromium",
  "chromium-browser",
  "microsoft-edge-stable",
  "microsoft-edge",
  "brave-browser",
  "chromium-headless-shell",
];

/** Paths of browsers on macOS, which are not on PATH. */
const MAC_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];

/**
 * Absolute path of the browser to run: the configured one, else the first that is found.
 *
 * @throws `BROWSER_MISSING` (503) with what to install
 */
export async function findChromium(
  run: Pick<Run, "find">,
  command: string | undefined,
): Promise<string> {
  if (command !== undefined) {
    const path = isAbsolute(command)
      ? (await isExecutable(command)) && command
      : await run.find(command);
    if (path) return path;
    throw errors.BROWSER_MISSING({
      hint: "The setting settings.browser.command names neither an executable file nor a program on PATH. Correct or remove it, and restart Gantry.",
    });
  }
  for (const name of NAMES) {
    const path = await run.find(name);
    if (path !== undefined) return path;
  }
  if (process.platform === "darwin")
    for (const path of MAC_PATHS) if (await isExecutable(path)) return path;
  throw errors.BROWSER_MISSING({
    hint: `No Chromium, Chrome, Edge or Brave was found on this machine. ${await installHint()}`,
  });
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The command that installs a browser on this system. */
async function installHint(): Promise<string> {
  if (process.platform === "darwin")
    return "Install Google Chrome, or run: brew install --cask chromium";
  const system = await readFile("/etc/os-release", "utf8").catch(() => "");
  return toInstallHint(system);
}

const INSTALL_COMMANDS: readonly [RegExp, string][] = [
  // Ubuntu's package is a snap, and programs outside a snap cannot share files with it.
  [/^ubuntu$/, "install Google Chrome from https://www.google.com/chrome/."],
  [/^(debian|raspbian|kali)$/, "run: apt install chromium"],
  [/^(fedora|rhel|centos|rocky|almalinux)$/, "run: dnf install chromium"],
  [/^(arch|manjaro)$/, "run: pacman -S chromium"],
  [/^alpine$/, "run: apk add chromium"],
  [/^(opensuse.*|suse|sles)$/, "run: zypper install chromium"],
];

/** How to install a browser on a system, from the text of its `/etc/os-release`. */
export function toInstallHint(osRelease: string): string {
  const field = (name: string) =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(osRelease)?.[1] ?? "";
  for (const id of [field("ID"), ...field("ID_LIKE").split(" ")]) {
    const known = INSTALL_COMMANDS.find(([pattern]) => pattern.test(id));
    if (known) return `To install one, ${known[1]}`;
  }
  return "Install Chromium or Google Chrome, or name one in settings.browser.command.";
}
