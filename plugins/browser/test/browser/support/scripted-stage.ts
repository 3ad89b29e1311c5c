import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { createScriptedBrowser } from "./scripted-browser.ts";
import type { ScriptedBrowser } from "./scripted-browser.ts";
import { storefront } from "./storefront.ts";

/** A kernel with the built pages on a scripted browser, and a real browser that shows them. */
export interface ScriptedStage extends BrowserStage {
  scripted: ScriptedBrowser;
}

export const packageFolder = fileURLToPath(
  new URL("../../../", import.meta.url),
);

/** Global under which the stand-in package finds the plugin definition that the test created. */
const KEY = "gantry.browser-under-test";

/** Starts a stage with a browser that the test scripts. */
export async function startScriptedStage(): Promise<ScriptedStage> {
  const scripted = createScriptedBrowser();
  const temporary = await mkdtemp(join(tmpdir(), "gantry-browser-"));
  const folder = join(temporary, "browser");
  await mkdir(join(folder, "dist"), { recursive: true });
  await cp(join(packageFolder, "dist/ui"), join(folder, "dist/ui"), {
    recursive: true,
  });
  await symlink(
    join(packageFolder, "node_modules"),
    join(folder, "node_modules"),
  );
  const manifest = {
    name: "@gantry/plugin-browser",
    version: "0.1.0",
    type: "module",
    gantry: { api: 1, server: "./dist/server.mjs", ui: "./dist/ui/index.mjs" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(
    join(folder, "dist/server.mjs"),
    `export default globalThis[Symbol.for(${JSON.stringify(KEY)})];\n`,
  );
  Object.assign(globalThis, { [Symbol.for(KEY)]: scripted.plugin });
  const stage = await startBrowserStage([scripted.agents], { package: folder });
  const page = await stage.browser.newPage({
    viewport: { width: 1280, height: 660 },
  });
  await page.setContent(storefront);
  scripted.picture = await page.screenshot({ type: "jpeg", quality: 80 });
  await page.close();
  return {
    ...stage,
    scripted,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
