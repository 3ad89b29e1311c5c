import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchBrowser, openVisitor, pairVisitor } from "./browser.ts";
import type { Visitor } from "./browser.ts";
import { startDaemon } from "./daemon.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A packed third-party plugin, and a new home for a daemon. */
export interface ThirdPartyPlugin extends AsyncDisposable {
  home: string;
  /** Path of the plugin. */
  tarball: string;
}

/** @param fixture Its folder in `fixtures`. */
export async function packThirdPartyPlugin(
  fixture: string,
): Promise<ThirdPartyPlugin> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder(fixture));
  const home = join(folder.path, "home");
  const tarball = await pack(fixture, folder.path);
  const owned = stack.move();
  return {
    ...{ home, tarball },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The same with a daemon that does not have the plugin, and its page in a browser. `isReloaded` tells whether that was loaded again. */
export async function openPageWithout(
  fixture: string,
): Promise<
  ThirdPartyPlugin & { visitor: Visitor; isReloaded(): Promise<boolean> }
> {
  await using stack = new AsyncDisposableStack();
  const packed = stack.use(await packThirdPartyPlugin(fixture));
  const daemon = stack.use(await startDaemon(packed.home));
  const browser = stack.use(await launchBrowser());
  const visitor = await openVisitor(browser, daemon);
  const { page } = visitor;
  await pairVisitor(visitor, daemon);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  const owned = stack.move();
  return {
    ...packed,
    visitor,
    isReloaded: () => page.evaluate(() => !("sameDocument" in window)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Packs a fixture as its author would, with `npm pack`. */
async function pack(fixture: string, folder: string): Promise<string> {
  const cwd = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url));
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", "--silent", "--pack-destination", folder],
    { cwd },
  );
  return join(folder, stdout.trim());
}
