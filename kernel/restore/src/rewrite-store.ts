import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { flush } from "@gantry/plugin/files";
import type { Engine } from "@gantry/store/engine";
import { linesFile } from "./check-stage.ts";
import { isThere } from "./durable-files.ts";
import { eventNumberOf } from "./event-floor.ts";
import { isContent, SESSION_PREFIXES } from "./kept-keys.ts";
import { readNamespaces } from "./read-store.ts";
import { readEntryLines, writeEntryLines } from "./stage-lines.ts";

const MAX_REMOVED = 400;

/**
 * Writes all that is content of a store below a folder, as a stage has it. After an interruption it starts over, until it was
 * whole once.
 */
export async function keepStore(engine: Engine, folder: string): Promise<void> {
  if (await isThere(join(folder, "store"))) return;
  const part = join(folder, "part");
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  const image = await engine.openImage();
  try {
    for await (const { name, entries } of readNamespaces(image))
      await writeEntryLines(join(part, `${name}.ndjson`), entries);
  } finally {
    await image.close();
  }
  await flush(part);
  await rename(part, join(folder, "store"));
  await flush(folder);
}

/** The number of the newest event that a stage brings. */
export async function newestStagedEvent(stage: string): Promise<number> {
  let newest = 0;
  if (!(await namespacesIn(stage)).includes("kernel")) return newest;
  for await (const page of readEntryLines(linesFile(stage, "kernel"), "kernel"))
    for (const { key } of page) newest = Math.max(newest, eventNumberOf(key));
  return newest;
}

/**
 * Makes the content of a store what is staged. It goes in steps and may be called again after an interruption at any; nothing
 * else may read or write the store until it is over. Sessions are left as they are.
 */
export async function rewriteStore(
  engine: Engine,
  stage: string,
  signal?: AbortSignal,
): Promise<void> {
  const present = new Map<string, Set<string>>();
  for (const key of await engine.keys("")) {
    if (!isContent(key)) continue;
    const namespace = key.slice(0, key.indexOf(":"));
    present.set(namespace, (present.get(namespace) ?? new Set()).add(key));
  }
  const staged = await namespacesIn(stage);
  for (const namespace of new Set([...staged, ...present.keys()])) {
    const stale = present.get(namespace) ?? new Set();
    if (staged.includes(namespace)) {
      const lines = readEntryLines(linesFile(stage, namespace), namespace);
      for await (const page of lines) {
        signal?.throwIfAborted();
        const content = page.filter(({ key }) => isContent(key));
        await engine.putTexts(content, []);
        for (const { key } of content) stale.delete(key);
      }
    }
    await removeKeys(engine, [...stale], signal);
  }
}

/** Ends all sessions of browsers. */
export async function removeSessions(engine: Engine): Promise<void> {
  for (const prefix of SESSION_PREFIXES)
    await removeKeys(engine, await engine.keys(prefix));
}

async function removeKeys(
  engine: Engine,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < keys.length; from += MAX_REMOVED) {
    signal?.throwIfAborted();
    await engine.putTexts([], keys.slice(from, from + MAX_REMOVED));
  }
}

async function namespacesIn(stage: string): Promise<string[]> {
  const names = await readdir(join(stage, "store"));
  return names.map((name) => name.replace(/\.ndjson$/, "")).sort();
}
