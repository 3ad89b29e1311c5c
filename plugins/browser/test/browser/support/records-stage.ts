import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { definePlugin } from "@gantry/plugin";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { errors } from "../../../src/errors.ts";
import { openRecords } from "../../../src/records/browser-records.ts";
import type { BrowserRecords } from "../../../src/records/browser-records.ts";
import { recordEvents } from "../../../src/records/events.ts";
import { createPolicyRoutes } from "../../../src/routes/policy-routes.ts";
import { createRecordRoutes } from "../../../src/routes/record-routes.ts";

/** A kernel with the built pages, the records without a Chromium, and agents. */
export interface RecordsStage extends BrowserStage {
  records(): BrowserRecords;
  /** Removes all records. */
  empty(): Promise<void>;
}

const packageFolder = fileURLToPath(new URL("../../../", import.meta.url));
const agentsFolder = resolve(packageFolder, "../agents");
const driverFolders = ["../acp", "../practice"].map((folder) =>
  resolve(packageFolder, folder),
);
/** Global under which the stand-in package finds the plugin definition that the test created. */
const KEY = "gantry.browser-records-under-test";

/** Starts a stage; `beforeMs` sets its clock back by this much. */
export async function startRecordsStage(
  beforeMs: number,
): Promise<RecordsStage> {
  let records: BrowserRecords | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "The records of the browser",
    mounts: ["/api/browser"],
    events: [...recordEvents],
    errors,
    async setup(ctx) {
      records = await openRecords(ctx);
      const { policies } = records;
      for (const route of [
        ...createRecordRoutes(records),
        ...createPolicyRoutes({ policies, checkAgent: async () => undefined }),
      ])
        ctx.route(route);
    },
  });
  const temporary = await mkdtemp(join(tmpdir(), "gantry-records-"));
  const folder = join(temporary, "browser");
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
      ...{ name: "@gantry/plugin-browser", version: "0.1.0", type: "module" },
      gantry: {
        ...{ api: 1, server: "./dist/server.mjs", ui: "./dist/ui/index.mjs" },
      },
    }),
  );
  await writeFile(
    join(folder, "dist/server.mjs"),
    `export default globalThis[Symbol.for(${JSON.stringify(KEY)})];\n`,
  );
  Object.assign(globalThis, { [Symbol.for(KEY)]: plugin });
  const stage = await startBrowserStage([], {
    package: folder,
    beside: [agentsFolder, ...driverFolders],
    settings: { agents: { defaultCli: "practice" } },
    startAt: new Date(Date.now() - beforeMs).toISOString(),
  });
  const { api } = stage.kernel;
  return {
    ...stage,
    records: () => records!,
    async empty() {
      for (const command of ["downloads", "history", "permissions"])
        await api.post(`/api/browser/${command}/clear`);
      const { body } = await api.get<{ items: { id: string }[] }>(
        "/api/browser/annotations",
      );
      for (const { id } of body.items)
        await api.delete(`/api/browser/annotations/${id}`);
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
