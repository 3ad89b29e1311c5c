import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginDefinition } from "@gantry/plugin";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { createScriptedBackup } from "./scripted-backup.ts";
import type { ScriptedBackup } from "./scripted-backup.ts";

/** A kernel with the built shell, the built pages of the backup on some server, and a browser. */
export interface ScriptedStage extends BrowserStage {
  script: ScriptedBackup;
}

export const packageFolder = fileURLToPath(
  new URL("../../../", import.meta.url),
);

/** Where the package that stands in finds the definition that the test made. */
const KEY = "gantry.backup-under-test";

/** Starts a stage on a server that does what the test says. */
export async function startScriptedStage(): Promise<ScriptedStage> {
  const script = createScriptedBackup();
  return { ...(await startStageWith(script.plugin)), script };
}

/** Starts a stage on this server: the pages belong to a package, and what a test defines itself has none. */
export async function startStageWith(
  server: PluginDefinition,
): Promise<BrowserStage> {
  const temporary = await mkdtemp(join(tmpdir(), "gantry-backup-"));
  const folder = join(temporary, "backup");
  await mkdir(join(folder, "dist"), { recursive: true });
  await cp(join(packageFolder, "dist/ui"), join(folder, "dist/ui"), {
    recursive: true,
  });
  await symlink(
    join(packageFolder, "node_modules"),
    join(folder, "node_modules"),
  );
  const manifest = {
    name: "@gantry/plugin-backup",
    version: "0.1.0",
    type: "module",
    gantry: { api: 1, server: "./dist/server.mjs", ui: "./dist/ui/index.mjs" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(
    join(folder, "dist/server.mjs"),
    `export default globalThis[Symbol.for(${JSON.stringify(KEY)})];\n`,
  );
  Object.assign(globalThis, { [Symbol.for(KEY)]: server });
  const stage = await startBrowserStage([], {
    package: folder,
    // To try a passphrase is to take no time here.
    settings: { backup: { passphraseWork: 10 } },
  });
  return {
    ...stage,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
