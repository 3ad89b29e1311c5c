import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, Store } from "@gantry/plugin";
import * as z from "zod";
import { DownloadsChanged } from "./events.ts";
import { openRecordLog } from "./record-log.ts";
import type { RecordQuery } from "./record-log.ts";
import { download } from "./schemas.ts";
import type { Download } from "./schemas.ts";

/** Once there are more, the oldest downloads are removed. */
export const MAX_DOWNLOADS = 5000;

/** Records that are read at once. */
const PAGE_SIZE = 500;

/** A download that begins. */
export interface DownloadInput extends Pick<
  Download,
  "url" | "fileName" | "totalBytes" | "agentId"
> {
  /** Whether it is one of the browsers that Gantry runs, and Gantry keeps its file. */
  isKept: boolean;
}

/** Progress or end of a download. Omitted fields stay as they are. */
export type DownloadUpdate = Partial<
  Pick<Download, "state" | "receivedBytes" | "totalBytes" | "problem">
>;

/** The list of downloads. The files are kept elsewhere: by Gantry, or where another browser put them. */
export interface Downloads {
  add(input: DownloadInput): Promise<Download>;
  /** @returns `undefined` if there is none */
  update(id: string, update: DownloadUpdate): Promise<Download | undefined>;
  list(query: RecordQuery): Promise<Page<Download>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes all that have ended. Returns their number. */
  clear(): Promise<number>;
  /** The download, if Gantry keeps its file and it is complete. */
  findKept(id: string): Promise<Download | undefined>;
  /** Records that those whose files Gantry keeps, and that are running, have failed. Returns the ids of all such files. */
  endInterrupted(problem: string): Promise<ReadonlySet<string>>;
  /** Calls back after records were removed, whatever removed them. It must not reject. */
  onRemoved(listener: (ids: readonly string[]) => Promise<void>): void;
}

// Records of earlier versions have no such field.
const record = download
  .omit({ file: true })
  .extend({ isKept: z.boolean().default(false) });
type Stored = z.infer<typeof record>;

/** Opens the downloads. */
export async function openDownloads({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<Downloads> {
  const listeners: ((ids: readonly string[]) => Promise<void>)[] = [];
  const log = await openRecordLog<Stored>({
    ...{ store, name: "download", version: 1, schema: record },
    max: MAX_DOWNLOADS,
    textsOf: ({ url, fileName }) => [url, fileName],
    changed: DownloadsChanged,
    async onRemoved(ids) {
      for (const listener of listeners) await listener(ids);
    },
  });

  async function update(
    id: string,
    fields: DownloadUpdate,
  ): Promise<Download | undefined> {
    const updated = await log.exclusive(() =>
      log.change(id, (current) => {
        const next = { ...current, ...fields };
        const isRunning = next.state === "running";
        return {
          ...next,
          // One that is resumed or completed after all has no problem any more.
          problem: next.state === "failed" ? next.problem : null,
          endedAt: isRunning ? null : (current.endedAt ?? clock.timestamp()),
        };
      }),
    );
    return updated && toDownload(updated);
  }

  return {
    update,
    add: async (input) =>
      toDownload(
        await log.exclusive(() =>
          log.add({
            ...input,
            id: createIdentifier("dwn"),
            ...{ state: "running", receivedBytes: 0 },
            ...{ problem: null, endedAt: null },
          }),
        ),
      ),
    async list(query) {
      const { items, nextCursor } = await log.list(query);
      return { items: items.map(toDownload), nextCursor };
    },
    remove: log.remove,
    clear: () => log.removeWhere(({ state }) => state !== "running"),
    async findKept(id) {
      const found = await log.get(id);
      return found && hasFile(found) ? toDownload(found) : undefined;
    },
    async endInterrupted(problem) {
      const kept = new Set<string>();
      let cursor: string | undefined;
      do {
        const page = await log.list({ limit: PAGE_SIZE, cursor });
        for (const each of page.items) {
          if (hasFile(each)) kept.add(each.id);
          if (each.isKept && each.state === "running")
            await update(each.id, { state: "failed", problem });
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return kept;
    },
    onRemoved: (listener) => void listeners.push(listener),
  };
}

const hasFile = ({ isKept, state }: Stored) => isKept && state === "completed";

function toDownload({ isKept, ...fields }: Stored): Download {
  const file = hasFile({ isKept, ...fields })
    ? `/api/browser/downloads/${fields.id}/file`
    : null;
  return { ...fields, file };
}
