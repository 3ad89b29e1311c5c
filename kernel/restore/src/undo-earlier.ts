import { join } from "node:path";
import { statIfThere } from "@gantry/system/home/if-there";
import type { Engine } from "@gantry/store/engine";
import { toRemoval } from "@gantry/store/engine";
import { rewriteStore } from "./rewrite-store.ts";
import { readLines, toSet } from "./stage-lines.ts";

/** What lay under a key before a merge; `null` for nothing. */
interface EntryBefore {
  key: string;
  text: string | null;
}

/**
 * Takes back what a replacement of format 1 had changed in a store that was not swapped as a whole. The version that began it kept
 * what was there before: all of it as in a stage, or what lay under the keys of a merge. May be called again after an interruption.
 *
 * @param old Folder of what was there before.
 */
export async function undoEarlier(engine: Engine, old: string): Promise<void> {
  if (await statIfThere(join(old, "store")))
    await rewriteStore(engine, {
      stage: old,
      mode: "replace",
      keepsSessions: true,
      namespaces: [],
    });
  const before = join(old, "before.ndjson");
  if (!(await statIfThere(before))) return;
  await engine.rewrite(async (write) => {
    for await (const line of readLines(before)) {
      const { key, text } = JSON.parse(line) as EntryBefore;
      await write([text === null ? toRemoval(key) : toSet({ key, text })]);
    }
  });
}
