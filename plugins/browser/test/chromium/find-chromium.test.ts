import { expect, test } from "vitest";
import { toInstallHint } from "../../src/chromium/find-chromium.ts";

test("the hint names the package of the system, or of the one that it is derived from", () => {
  expect(toInstallHint('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toContain(
    "Google Chrome",
  );
  expect(toInstallHint("ID=debian\n")).toContain("apt install chromium");
  expect(toInstallHint('ID="opensuse-leap"\n')).toContain("zypper");
  expect(toInstallHint("")).toContain("settings.browser.command");
});
