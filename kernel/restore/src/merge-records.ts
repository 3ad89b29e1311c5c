import type { StoreEntry } from "@gantry/plugin";
import type { Engine } from "@gantry/store/engine";
import { linesFile } from "./check-stage.ts";
import { isContent } from "./kept-keys.ts";
import { readEntryLines, toSet } from "./stage-lines.ts";
import type { WriteStaged } from "./stage-lines.ts";

/**
 * Whether an entry belongs to an index of a collection. Index functions may have changed since it was written, so index entries
 * are rebuilt from the records.
 */
function isIndexEntry({ key, text }: StoreEntry): boolean {
  return text === "{}" && (key.split(":")[1] ?? "").includes("~");
}

/** Writes the records of a namespace in a stage, and causes the indexes of their collections to be rebuilt. */
export async function mergeRecords(
  engine: Engine,
  stage: string,
  namespace: string,
  write: WriteStaged,
): Promise<void> {
  const prefix = `kernel:collection:${namespace}:`;
  const known = new Set(await engine.keys(prefix));
  const touched = new Set<string>();
  const file = linesFile(stage, namespace);
  for await (const page of readEntryLines(file, namespace)) {
    for (const entry of page) {
      const [, part = ""] = entry.key.split(":");
      const [name] = part.split("~");
      const key = prefix + name;
      if (known.has(key) || isIndexEntry(entry)) touched.add(key);
    }
    const records = page.filter(
      (entry) => isContent(entry.key) && !isIndexEntry(entry),
    );
    await write(records.map(toSet));
  }
  for (const key of touched) {
    const state = (await engine.get(key)) as
      { indexes?: Record<string, string> } | undefined;
    // No digest fits an empty text. The names stay, so that an index that is no longer defined is still removed.
    const indexes = Object.fromEntries(
      Object.keys(state?.indexes ?? {}).map((index) => [index, ""]),
    );
    await write([{ type: "set", key, value: JSON.stringify({ indexes }) }]);
  }
}
