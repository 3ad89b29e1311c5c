import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { removeFolder } from "@gantry/system/home/remove-folder";

/** Without rights, on most systems. The superuser may change everything. */
const OTHER_USER = 65_534;

/** Works as a user who is not the superuser. */
async function asUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(OTHER_USER);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("a folder goes with folders in it in which nothing may be changed", async () => {
  // The folder of the run is closed to other users.
  const parent = await mkdtemp(join(dirname(tmpdir()), "gantry-removed-"));
  await chmod(parent, 0o777);
  const folder = join(parent, "folder");
  const module = join(folder, "cache", "module");
  await asUser(async () => {
    await mkdir(module, { recursive: true });
    await writeFile(join(module, "file"), "");
    await chmod(module, 0o555);
    await chmod(join(folder, "cache"), 0);
    await expect(rm(folder, { recursive: true })).rejects.toThrow("EACCES");
    await removeFolder(folder);
    // Nothing is there any more.
    await removeFolder(folder);
  });
  expect(await readdir(parent)).toEqual([]);
  await rm(parent, { recursive: true });
});
