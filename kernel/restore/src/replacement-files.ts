import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ReplacementResult } from "@gantry/plugin";
import * as z from "zod";
import { flush, replaceFile } from "@gantry/plugin/files";
import { HomeError } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { ifThere, readIfThere } from "@gantry/system/home/if-there";
import { removeFolder } from "@gantry/system/home/remove-folder";
import { parseJson } from "@gantry/system/parse-json";

/** What is to be brought into the place of what is there. While it is stored, no plugin that is concerned runs. */
const PendingReplacement = z.strictObject({
  /** 1 was written by a version that changed the store in steps. */
  format: z.literal([1, 2]),
  /** Name of the stage in the folder of restores. */
  stage: z.string().regex(/^[a-z0-9]+$/),
  mode: z.enum(["replace", "merge"]),
  keepsSessions: z.boolean(),
  /** Whether the store is the database in the home. */
  isInHome: z.boolean(),
  /** The plugin that asked for it. */
  plugin: z.string(),
  note: z.looseObject({}),
  /** Only in format 1. */
  failure: z.string().nullable().optional(),
});
export type PendingReplacement = z.infer<typeof PendingReplacement>;

/** Where replacements are prepared and done. */
export type RestoreFolder = ReturnType<typeof restoreFolder>;

/** What of a stage is put in place. */
export interface ReplacementItems {
  /** Files and folders that are renamed, relative to the home and to the stage. */
  paths: readonly string[];
  /** Namespaces whose records are merged. */
  namespaces: readonly string[];
}

const ITEMS = "items.json";
const PENDING = "replacement.json";
const RESULT = "result.json";

/** Notes in a stage what of it is put in place. From then on it is no stage any more. */
export const writeItems = (
  stage: string,
  items: ReplacementItems,
): Promise<void> => replaceFile(join(stage, ITEMS), JSON.stringify(items));

/** Reads what {@link writeItems} noted. @throws HomeError if the stage is gone */
export async function readItems(stage: string): Promise<ReplacementItems> {
  try {
    const text = await readFile(join(stage, ITEMS), "utf8");
    return JSON.parse(text) as ReplacementItems;
  } catch (cause) {
    throw new HomeError(
      `A restore was begun that cannot continue, since ${stage} is not whole any more. Move the folder ${dirname(stage)} out of the home; what had been in the home before may be in it.`,
      { cause },
    );
  }
}

/** The folder of restores in a home. Touches nothing. */
export function restoreFolder(home: Pick<Home, "restore">) {
  const folder = home.restore;
  const pendingFile = join(folder, PENDING);
  const resultFile = join(folder, RESULT);

  async function readPending(): Promise<PendingReplacement | undefined> {
    const text = await readIfThere(pendingFile);
    if (text === undefined) return undefined;
    const parsed = PendingReplacement.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new HomeError(
      `${pendingFile} describes a restore that was begun, but it was not written by this version of Gantry; start the version that began it, or move the folder ${folder} out of the home if the file is damaged; what had been in the home before may be in it.`,
    );
  }

  async function remove(
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    for (const name of names)
      if (!signal?.aborted) await removeFolder(join(folder, name));
  }

  return {
    folder,
    stage: (name: string) => join(folder, name),
    /** What was there before, until the replacement is over. */
    old: (name: string) => join(folder, `${name}-old`),
    /** Makes the folder, if there is none. */
    make: () => mkdir(folder, { recursive: true, mode: 0o700 }),
    /** @throws HomeError if it cannot be read, or a later version wrote it */
    readPending,
    /** From the moment that it resolves, the replacement happens. */
    writePending: (pending: PendingReplacement) =>
      replaceFile(pendingFile, JSON.stringify(pending)),
    async removePending() {
      await rm(pendingFile, { force: true });
      await flush(folder);
    },
    readResult: async () =>
      parseJson((await readIfThere(resultFile)) ?? "") as
        ReplacementResult | undefined,
    writeResult: (result: ReplacementResult) =>
      replaceFile(resultFile, JSON.stringify(result)),
    removeResult: () => rm(resultFile, { force: true }),
    /** Names of what is there beside what is pending and the result of the newest replacement. */
    async listLeftovers() {
      const pending = await readPending();
      const kept = new Set([PENDING, RESULT]);
      if (pending) kept.add(pending.stage).add(`${pending.stage}-old`);
      return ((await ifThere(readdir(folder))) ?? []).filter(
        (name) => !kept.has(name),
      );
    },
    /** Removes some of it. Leaves the rest when the signal aborts. */
    remove,
    /** Removes what is left of a stage that a replacement is over with. */
    removeStage: (name: string) => remove([name, `${name}-old`]),
  };
}
