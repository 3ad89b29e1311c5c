import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { createScriptedBackup } from "./scripted-backup.ts";
import type { ScriptedBackup } from "./scripted-backup.ts";

/** A kernel with the built shell, the built pages of the backup on a scripted server, and a browser. */
export interface ScriptedStage extends BrowserStage {
  script: ScriptedBackup;
}

export const packageFolder = fileURLToPath(
  new URL("../../../", import.meta.url),
);

/** Where the package that stands in finds the definition that the test made. */
const KEY = "gantry.scripted-backup";

export async function startScriptedStage(): Promise<ScriptedStage> {
  const script = createScriptedBackup();
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
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({
      name: "@gantry/plugin-backup",
      version: "0.1.0",
      type: "module",
      gantry: {
        api: 1,
        server: "./dist/server.mjs",
        ui: "./dist/ui/index.mjs",
      },
    }),
  );
  await writeFile(
    join(folder, "dist/server.mjs"),
    `export default globalThis[Symbol.for(${JSON.stringify(KEY)})];\n`,
  );
  Object.assign(globalThis, { [Symbol.for(KEY)]: script.plugin });
  const stage = await startBrowserStage([], { package: folder });
  return {
    ...stage,
    script,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
