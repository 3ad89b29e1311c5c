import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cases } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { startBackup } from "./support/backup-bench.ts";

const run = promisify(execFile);
const canMount = process.getuid?.() === 0 && process.platform === "linux";

const SHOWN = [
  ["the home itself", "", ""],
  ["a folder in it", "", "deep"],
  ["the folders of plugins", "data", ""],
  ["a folder in those", "data", "agents"],
] as const;

test.skipIf(!canMount).each(cases(SHOWN))(
  "a bind mount is refused where it shows %s (needs root, to mount)",
  async (_, mounted, within) => {
    await using bench = await startBackup({ hasFolder: false });
    const { home, folder: place } = bench;
    await mkdir(join(home.folder, mounted, within || "deep"), {
      recursive: true,
    });
    await mkdir(place, { recursive: true });
    await run("mount", ["--bind", join(home.folder, mounted), place]);
    try {
      const before = await readdir(join(place, within));
      const answer = await bench.change({ folder: join(place, within) });
      expect(answer).toMatchObject({
        status: 400,
        body: {
          code: "BACKUP_FOLDER_INVALID",
          detail: expect.stringContaining(
            "in the home of the daemon",
          ) as string,
        },
      });
      expect(await readdir(join(place, within))).toEqual(before);
      expect((await bench.state()).settings.folder).toBeNull();
    } finally {
      await run("umount", ["--lazy", place]);
    }
  },
);
