import { lstat, mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect } from "vitest";
import type { RestorePreview, Snapshot } from "../../src/contract.ts";
import plugin from "../../src/index.ts";
import type { NowAnswer } from "../../src/routes/inputs.ts";

/** A daemon with a backup of its own home. */
export async function startRealBackup(
  settings: object = {},
  beside: readonly PluginDefinition[] = [],
) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-backup-"));
  const kernel = await startTestKernel([...beside, plugin]);
  const { api } = kernel;
  const set = { folder, everyMinutes: 43_200, ...settings };
  expect((await api.put("/api/backup", set)).status).toBe(200);
  return {
    kernel,
    /** Folder of the files of a plugin that is not there now. */
    agents: join(kernel.home, "data/agents"),
    async now(verify = true): Promise<Snapshot> {
      const answer = await api.post<NowAnswer>("/api/backup/now", {
        verify,
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await kernel.clock.advance(1000);
      return answer.body.snapshot;
    },
    async preview(id: string, only?: string): Promise<RestorePreview> {
      const body = { id, only, preview: true };
      const answer = await api.post<{ preview: RestorePreview }>(
        "/api/backup/restore",
        body,
      );
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.preview;
    },
    async restore(id: string, only?: string): Promise<string> {
      // Parts are in place when it answers.
      const replaced = only ? undefined : kernel.replaced();
      const answer = await api.post<{ safetySnapshotId: string }>(
        "/api/backup/restore",
        { id, only, keepsSessions: true },
      );
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await replaced;
      return answer.body.safetySnapshotId;
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All that is below a folder, with what links say and permissions. */
export async function look(folder: string): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name);
    const stats = await lstat(path);
    const mode = (stats.mode & 0o777).toString(8);
    found.push([
      name,
      stats.isSymbolicLink() ? `-> ${await readlink(path)}` : mode,
    ]);
  }
  return Object.fromEntries(found);
}
