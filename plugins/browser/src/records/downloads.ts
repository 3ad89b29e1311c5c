import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, Store } from "@gantry/plugin";
import { DownloadsChanged } from "./events.ts";
import { openRecordLog } from "./record-log.ts";
import type { RecordQuery } from "./record-log.ts";
import { download } from "./schemas.ts";
import type { Download } from "./schemas.ts";

/** Once there are more, the oldest downloads are removed. */
export const MAX_DOWNLOADS = 5000;

/** A download that begins. */
export type DownloadInput = Pick<
  Download,
  "url" | "fileName" | "totalBytes" | "agentId"
>;

/** Progress or end of a download. Omitted fields stay as they are. */
export type DownloadUpdate = Partial<
  Pick<Download, "state" | "receivedBytes" | "totalBytes" | "problem">
>;

/** The list of downloads. The files are where the browser put them. */
export interface Downloads {
  add(input: DownloadInput): Promise<Download>;
  /** @returns `undefined` if there is none */
  update(id: string, update: DownloadUpdate): Promise<Download | undefined>;
  list(query: RecordQuery): Promise<Page<Download>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes all that have ended. Returns their number. */
  clear(): Promise<number>;
}

/** Opens the downloads. */
export async function openDownloads({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<Downloads> {
  const log = await openRecordLog<Download>({
    ...{ store, name: "download", version: 1, schema: download },
    max: MAX_DOWNLOADS,
    textsOf: ({ url, fileName }) => [url, fileName],
    changed: DownloadsChanged,
  });
  return {
    add: (input) =>
      log.exclusive(() =>
        log.add({
          ...input,
          id: createIdentifier("dwn"),
          ...{ state: "running", receivedBytes: 0 },
          ...{ problem: null, endedAt: null },
        }),
      ),
    update: (id, update) =>
      log.exclusive(() =>
        log.change(id, (current) => {
          const next = { ...current, ...update };
          const isRunning = next.state === "running";
          return {
            ...next,
            // One that is resumed or completed after all has no problem any more.
            problem: next.state === "failed" ? next.problem : null,
            endedAt: isRunning ? null : (current.endedAt ?? clock.timestamp()),
          };
        }),
      ),
    list: (query) => log.list(query),
    remove: log.remove,
    clear: () => log.removeWhere(({ state }) => state !== "running"),
  };
}
