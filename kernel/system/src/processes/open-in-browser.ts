import { spawn } from "node:child_process";

/** Opens an address in the user's browser. A machine without one is no fault. */
export function openInBrowser(url: string): void {
  const file =
    process.platform === "darwin"
      ? "open"
      : process.platform === "win32"
        ? "explorer"
        : "xdg-open";
  spawn(file, [url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
