import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ReplacementResult } from "@gantry/plugin";
import * as z from "zod";
import { flush, replaceFile } from "@gantry/plugin/files";
import { HomeError } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { ifThere, readIfThere } from "@gantry/system/home/if-there";

/** What is to be brought into the place of what is there. While it is stored, no plugin that is concerned runs. */
const PendingReplacement = z.strictObject({
  format: z.literal(1),
  /** Name of the stage in the folder of restores. */
  stage: z.string().regex(/^[a-z0-9]+$/),
  mode: z.enum(["replace", "merge"]),
  keepsSessions: z.boolean(),
  /** Whether the store is the database in the home. */
  isInHome: z.boolean(),
  /** The plugin that asked for it. */
  plugin: z.string(),
  note: z.looseObject({}),
  /** What went wrong: from then on it goes back to what was there before. */
  failure: z.string().nullable(),
});
export type PendingReplacement = z.infer<typeof PendingReplacement>;

/** Where replacements are prepared and done. */
export interface RestoreFolder {
  readonly folder: string;
  stage(name: string): string;
  /** What was there before, until the replacement is over. */
  old(name: string): string;
  /** Makes the folder, if there is none. */
  make(): Promise<void>;
  /** @throws HomeError if it cannot be read, or a later version wrote it */
  readPending(): Promise<PendingReplacement | undefined>;
  /** From the moment that it resolves, the replacement happens. */
  writePending(pending: PendingReplacement): Promise<void>;
  removePending(): Promise<void>;
  readResult(): Promise<ReplacementResult | undefined>;
  writeResult(result: ReplacementResult): Promise<void>;
  removeResult(): Promise<void>;
  /** Names of what is there beside what is pending and the result of the newest replacement. */
  listLeftovers(): Promise<string[]>;
  /** Removes some of it. Leaves the rest when the signal aborts. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Removes what is left of a stage that a replacement is over with. */
  removeStage(name: string): Promise<void>;
}

const PENDING = "replacement.json";
const RESULT = "result.json";

/** The folder of restores in a home. Touches nothing. */
export function restoreFolder(home: Pick<Home, "restore">): RestoreFolder {
  const folder = home.restore;
  const pendingFile = join(folder, PENDING);
  const resultFile = join(folder, RESULT);

  async function readPending(): Promise<PendingReplacement | undefined> {
    const text = await readIfThere(pendingFile);
    if (text === undefined) return undefined;
    const parsed = PendingReplacement.safeParse(parse(text));
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
      if (!signal?.aborted)
        await rm(join(folder, name), { recursive: true, force: true });
  }

  return {
    folder,
    stage: (name) => join(folder, name),
    old: (name) => join(folder, `${name}-old`),
    make: async () =>
      void (await mkdir(folder, { recursive: true, mode: 0o700 })),
    readPending,
    writePending: (pending) =>
      replaceFile(pendingFile, JSON.stringify(pending)),
    async removePending() {
      await rm(pendingFile, { force: true });
      await flush(folder);
    },
    async readResult() {
      const text = await readIfThere(resultFile);
      return text === undefined
        ? undefined
        : (parse(text) as ReplacementResult | undefined);
    },
    writeResult: (result) => replaceFile(resultFile, JSON.stringify(result)),
    removeResult: () => rm(resultFile, { force: true }),
    async listLeftovers() {
      const pending = await readPending();
      const kept = new Set([PENDING, RESULT]);
      if (pending) kept.add(pending.stage).add(`${pending.stage}-old`);
      return ((await ifThere(readdir(folder))) ?? []).filter(
        (name) => !kept.has(name),
      );
    },
    remove,
    removeStage: (name) => remove([name, `${name}-old`]),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
