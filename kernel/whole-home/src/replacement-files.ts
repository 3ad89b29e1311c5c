import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ReplacementResult } from "@gantry/plugin";
import * as z from "zod";
import { writeFileAtomic } from "@gantry/system/files/atomic-file";
import { flushPath } from "@gantry/system/files/durable-files";
import { HomeError } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";

/** A replacement to be carried out. While it is stored, the plugins concerned do not run. */
const PendingReplacement = z.strictObject({
  format: z.literal(1),
  /** Name of the stage in the restore folder. */
  stage: z.string().regex(/^[a-z0-9]+$/),
  mode: z.enum(["replace", "merge"]),
  keepsSessions: z.boolean(),
  /** Whether the store is the database in the home. */
  isInHome: z.boolean(),
  /** The plugin that requested it. */
  plugin: z.string(),
  note: z.looseObject({}),
  /** The error that occurred; from then on the earlier content is restored. */
  failure: z.string().nullable(),
});
export type PendingReplacement = z.infer<typeof PendingReplacement>;

/** Where replacements are prepared and carried out. */
export interface RestoreFolder {
  readonly folder: string;
  stage(name: string): string;
  /** The earlier content, until the replacement is complete. */
  old(name: string): string;
  /** Creates the folder if there is none. */
  make(): Promise<void>;
  /** @throws HomeError if it cannot be read, or a later version wrote it */
  readPending(): Promise<PendingReplacement | undefined>;
  /** Once this resolves, the replacement will take place. */
  writePending(pending: PendingReplacement): Promise<void>;
  removePending(): Promise<void>;
  readResult(): Promise<ReplacementResult | undefined>;
  writeResult(result: ReplacementResult): Promise<void>;
  removeResult(): Promise<void>;
  /** Names of the entries besides the pending replacement and the result of the newest one. */
  listLeftovers(): Promise<string[]>;
  /** Removes some entries. Leaves the rest when the signal aborts. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Removes the rest of a stage whose replacement is complete. */
  removeStage(name: string): Promise<void>;
}

const PENDING = "replacement.json";
const RESULT = "result.json";

/** The restore folder of a home. Touches no files. */
export function restoreFolder(home: Pick<Home, "restore">): RestoreFolder {
  const folder = home.restore;
  const pendingFile = join(folder, PENDING);
  const resultFile = join(folder, RESULT);

  async function readPending(): Promise<PendingReplacement | undefined> {
    const text = await readText(pendingFile);
    if (text === undefined) return undefined;
    const parsed = PendingReplacement.safeParse(parse(text));
    if (parsed.success) return parsed.data;
    throw new HomeError(
      `${pendingFile} describes a restore that was started, but it was not written by this version of Gantry; start the version that started it.`,
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
      writeFileAtomic(pendingFile, JSON.stringify(pending)),
    async removePending() {
      await rm(pendingFile, { force: true });
      await flushPath(folder);
    },
    async readResult() {
      const text = await readText(resultFile);
      return text === undefined
        ? undefined
        : (parse(text) as ReplacementResult | undefined);
    },
    writeResult: (result) =>
      writeFileAtomic(resultFile, JSON.stringify(result)),
    removeResult: () => rm(resultFile, { force: true }),
    async listLeftovers() {
      const pending = await readPending();
      const kept = new Set([PENDING, RESULT]);
      if (pending) kept.add(pending.stage).add(`${pending.stage}-old`);
      return (await namesIn(folder)).filter((name) => !kept.has(name));
    },
    remove,
    removeStage: (name) => remove([name, `${name}-old`]),
  };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
