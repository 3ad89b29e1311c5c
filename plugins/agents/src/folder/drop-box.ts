import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type Clock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { toWriteError } from "./file-errors.ts";

const MAX_DROP_BYTES = 8 * 1024 * 1024;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const OUTER = ".gantry";
const INNER = `${OUTER}/drop`;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Puts an attachment where the agent can read it, out of git's sight. Gives its path in the folder.
 *
 * @throws DROP_INVALID for what is no base64 of at most 8 MB
 */
export async function dropFile(
  folder: AgentFolder,
  { name, data }: { name: string; data: string },
): Promise<string> {
  const isGood =
    BASE64.test(data) &&
    data.length % 4 === 0 &&
    Buffer.byteLength(data, "base64") <= MAX_DROP_BYTES;
  if (!isGood) throw errors.DROP_INVALID();
  const file = `${randomBytes(5).toString("hex")}-${name}`;
  const path = `${INNER}/${file}`;
  try {
    await makeFolder(folder, OUTER);
    const outer = await folder.openFolder(OUTER);
    try {
      await writeFile(join(outer.path, ".gitignore"), "*\n", { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      await outer.handle.close();
    }
    await makeFolder(folder, INNER);
    const inner = await folder.openFolder(INNER);
    try {
      const handle = await open(join(inner.path, file), "wx", 0o600);
      try {
        await handle.writeFile(data, "base64");
      } finally {
        await handle.close();
      }
    } finally {
      await inner.handle.close();
    }
  } catch (error) {
    throw isGantryError(error) ? error : toWriteError(error, path);
  }
  return path;
}

/** Makes a folder in one that is open already, so that no link can be put in its way. */
async function makeFolder(folder: AgentFolder, path: string): Promise<void> {
  const parent = await folder.openParent(path);
  try {
    if (parent.place.stats) return;
    await mkdir(join(parent.folder.path, parent.name), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await parent.folder.handle.close();
  }
}

/** Removes an attachment that {@link dropFile} gave the path of. It may be gone. */
export async function removeDrop(
  folder: AgentFolder,
  path: string,
): Promise<void> {
  const name = path.slice(INNER.length + 1);
  if (path !== `${INNER}/${name}` || !/^[^./][^/]*$/.test(name)) return;
  await inDropBox(folder, (inner) => rm(join(inner, name), { force: true }));
}

/**
 * Removes what was dropped more than seven days ago. A file that cannot be removed does not keep the others.
 *
 * @returns how many files were removed, and why others were not
 */
export async function sweepDrops(
  folder: AgentFolder,
  clock: Clock,
): Promise<{ removed: number; failures: unknown[] }> {
  const failures: unknown[] = [];
  let removed = 0;
  await inDropBox(folder, async (inner) => {
    for (const name of await readdir(inner)) {
      try {
        const path = join(inner, name);
        const stats = await lstat(path);
        if (!stats.isFile() || stats.mtimeMs > clock.now() - KEPT_MS) continue;
        await rm(path, { force: true });
        removed += 1;
      } catch (error) {
        failures.push(error);
      }
    }
  });
  return { removed, failures };
}

/** Does something in the drop box of a folder, if there is one. */
async function inDropBox(
  folder: AgentFolder,
  work: (inner: string) => Promise<void>,
): Promise<void> {
  const inner = await folder.openFolder(INNER).catch((error: unknown) => {
    if (isGantryError(error) && error.status < 500) return undefined;
    throw error;
  });
  if (!inner) return;
  try {
    await work(inner.path);
  } finally {
    await inner.handle.close();
  }
}
