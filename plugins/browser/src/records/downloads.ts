import { createIdentifier } from "@gantry/plugin";
import type { Page } from "@gantry/plugin";
import * as z from "zod";
import { ALL, DownloadsChanged } from "./events.ts";
import type { RecordQuery } from "./history.ts";
import { openRecordLog, toPublic } from "./record-log.ts";
import type { RecordsHost } from "./records-host.ts";
import { download } from "./schemas.ts";
import type { Download, DownloadState } from "./schemas.ts";
import { createMatcher, toLine, toWebUrl } from "./texts.ts";

/** Once there are more, the oldest downloads are removed. */
export const MAX_DOWNLOADS = 5000;
const MAX_NAME_LENGTH = 255;
const MAX_PROBLEM_LENGTH = 500;
/** Minimum time between two writes of a download's progress. */
const PROGRESS_INTERVAL_MS = 1000;

/** A download that begins. */
export interface DownloadInput {
  /** For schemes other than http and https, only the scheme is stored. */
  url: string;
  fileName: string;
  totalBytes?: number | null;
  agentId?: string | null;
  /** Whether this daemon's browser runs the download, so that it ends with the daemon. */
  isOwn?: boolean;
}

/** Progress or end of a download. Omitted fields stay as they are. */
export interface DownloadUpdate {
  state?: DownloadState;
  receivedBytes?: number;
  totalBytes?: number | null;
  problem?: string | null;
  path?: string | null;
}

/** The list of downloads. */
export interface Downloads {
  begin(input: DownloadInput): Promise<Download>;
  /** Records progress, at most once a second; calls in between are dropped. */
  progress(
    id: string,
    progress: Pick<DownloadUpdate, "receivedBytes" | "totalBytes">,
  ): Promise<void>;
  end(
    id: string,
    end: DownloadUpdate & { state: Exclude<DownloadState, "running"> },
  ): Promise<void>;
  /** @returns `undefined` if there is none */
  update(id: string, update: DownloadUpdate): Promise<Download | undefined>;
  get(id: string): Promise<Download | undefined>;
  list(query: RecordQuery): Promise<Page<Download>>;
  /** Removes one from the list; its file stays. @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes all that have ended. Returns their number. */
  clear(): Promise<number>;
  /**
   * Calls back for each running download that was removed from the list, so that it is cancelled. Returns a function
   * that removes the listener.
   */
  onCancelled(listener: (id: string) => void): () => void;
}

const record = download.extend({
  sequence: z.number().int().positive(),
  isOwn: z.boolean(),
});
type DownloadRecord = z.infer<typeof record>;

/** Opens the downloads. Unfinished ones of this daemon's browser are marked as failed. */
export async function openDownloads({
  store,
  clock,
}: RecordsHost): Promise<Downloads> {
  const listeners = new Set<(id: string) => void>();
  const writtenAt = new Map<string, number>();
  const log = await openRecordLog<DownloadRecord>({
    store,
    definition: {
      name: "download",
      version: 1,
      schema: record,
      indexes: {
        running: ({ state, isOwn }) =>
          state === "running" && isOwn ? [] : undefined,
      },
    },
    max: MAX_DOWNLOADS,
    onRemoved(records) {
      for (const { id, state } of records) {
        writtenAt.delete(id);
        if (state === "running") for (const listen of listeners) listen(id);
      }
    },
  });

  const update = (id: string, change: DownloadUpdate) =>
    log.serial(() =>
      log.collection.update(id, (current) => {
        const next = { ...current, ...change };
        const isOver = next.state !== "running";
        return {
          record: {
            ...next,
            problem: next.problem && toLine(next.problem, MAX_PROBLEM_LENGTH),
            endedAt: isOver ? (current.endedAt ?? clock.timestamp()) : null,
          },
          events: [DownloadsChanged.of(id, { change: "changed" })],
        };
      }),
    );

  const running = { index: "running", limit: 500 };
  for (const { id } of (await log.collection.list(running)).items)
    await update(id, { state: "failed", problem: "Gantry was stopped." });

  return {
    begin: ({
      url,
      fileName,
      totalBytes = null,
      agentId = null,
      isOwn = true,
    }) =>
      log.serial(async () => {
        const id = createIdentifier("dwn");
        const [added] = await log.add(
          [
            {
              ...{ id, totalBytes, agentId, isOwn, receivedBytes: 0 },
              url: toSource(url),
              fileName: toLine(fileName, MAX_NAME_LENGTH) || "download",
              state: "running",
              problem: null,
              path: null,
              endedAt: null,
            },
          ],
          [DownloadsChanged.of(id, { change: "added" })],
        );
        return toDownload(added!);
      }),
    async progress(id, progress) {
      const last = writtenAt.get(id);
      const now = clock.monotonic();
      if (last !== undefined && now - last < PROGRESS_INTERVAL_MS) return;
      writtenAt.set(id, now);
      await update(id, progress);
    },
    async end(id, end) {
      writtenAt.delete(id);
      await update(id, end);
    },
    async update(id, change) {
      const updated = await update(id, change);
      return updated && toDownload(updated);
    },
    async get(id) {
      const found = await log.collection.get(id);
      return found && toDownload(found);
    },
    async list({ q, ...page }) {
      const fits = createMatcher(q);
      const { items, nextCursor } = await log.list({
        ...page,
        ...(fits && { filter: ({ url, fileName }) => fits(url, fileName) }),
      });
      return { items: items.map(toDownload), nextCursor };
    },
    async remove(id, revision) {
      const events = [DownloadsChanged.of(id, { change: "removed" })];
      return (await log.remove(id, { revision, events })) !== undefined;
    },
    clear: () =>
      log.removeWhere(
        ({ state }) => state !== "running",
        [DownloadsChanged.of(ALL, { change: "cleared" })],
      ),
    onCancelled(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A page can offer a file that it created itself, from a `blob:` or `data:` address of any length. */
function toSource(url: string): string {
  return toWebUrl(url) ?? /^[a-z][a-z0-9+.-]{0,30}:/iu.exec(url)?.[0] ?? "";
}

function toDownload({ isOwn: _, ...rest }: DownloadRecord): Download {
  return toPublic(rest);
}
