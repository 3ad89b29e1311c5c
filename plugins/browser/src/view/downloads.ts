import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { Downloads as DownloadRecords } from "../records/downloads.ts";
import { cleanFileName, freeBytes, moveDownload } from "./download-files.ts";

/** Maximum size of an agent's download. */
export const MAX_AGENT_DOWNLOAD_BYTES = 100 * 1024 * 1024;
/** Free space that downloads leave on the disk. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

/** Dependencies of {@link BrowserDownloads}. */
export interface BrowserDownloadsOptions {
  browser: RunningBrowser;
  records: Pick<DownloadRecords, "begin" | "progress" | "end" | "onCancelled">;
  log: Log;
  /** The agent whose tab contains the frame that started a download. */
  ownerOfFrame(frameId: string): string | null;
  /** Why this agent may not download; `null` if it may. */
  refuse(agentId: string): string | null;
  /** Folder for finished files. */
  folder(): Promise<string>;
}

interface OpenDownload {
  guid: string;
  name: string;
  agentId: string | null;
  recordId: Promise<string>;
  isEnding: boolean;
}

interface Progress {
  guid: string;
  totalBytes: number;
  receivedBytes: number;
  state: "inProgress" | "completed" | "canceled";
}

/** Keeps the records of one browser's downloads, and moves each file when it is complete. */
export class BrowserDownloads {
  readonly #options: BrowserDownloadsOptions;
  readonly #open = new Map<string, OpenDownload>();

  constructor(options: BrowserDownloadsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { browser, records } = this.#options;
    const { protocol } = browser;
    protocol.onEvent(({ method, params, sessionId }) => {
      if (sessionId !== undefined) return;
      if (method === "Browser.downloadWillBegin")
        this.#run(this.#began(params));
      if (method === "Browser.downloadProgress")
        this.#run(this.#moved(params as unknown as Progress));
    });
    const stop = records.onCancelled((id) => this.#run(this.#removed(id)));
    void protocol.closed.then(() => {
      stop();
      for (const download of this.#open.values())
        this.#run(this.#end(download, "failed", "The browser has ended."));
    });
    await protocol.send("Browser.setDownloadBehavior", {
      // Named by their guid until they are complete, so that a name from a site cannot collide with another file.
      behavior: "allowAndName",
      downloadPath: browser.downloadFolder,
      eventsEnabled: true,
    });
  }

  async #began(params: Record<string, unknown>): Promise<void> {
    const { records, ownerOfFrame, refuse, folder } = this.#options;
    const { guid, frameId, url, suggestedFilename } = params as Record<
      string,
      string
    >;
    if (guid === undefined) return;
    const agentId = ownerOfFrame(frameId ?? "");
    const name = cleanFileName(suggestedFilename ?? "");
    const record = records.begin({ url: url ?? "", fileName: name, agentId });
    const download: OpenDownload = {
      guid,
      name,
      agentId,
      recordId: record.then(({ id }) => id),
      isEnding: false,
    };
    this.#open.set(guid, download);
    const refusal = agentId === null ? null : refuse(agentId);
    if (refusal !== null) return this.#cancel(download, refusal);
    if ((await freeBytes(await folder())) < MIN_FREE_BYTES)
      await this.#cancel(download, "The disk is almost full.");
  }

  async #moved(progress: Progress): Promise<void> {
    const { records, browser } = this.#options;
    const { guid, receivedBytes, totalBytes, state } = progress;
    const download = this.#open.get(guid);
    if (!download || download.isEnding) return;
    const sizes = { receivedBytes, totalBytes: totalBytes || null };
    if (state === "canceled")
      return this.#end(download, "cancelled", null, sizes);
    if (state === "completed") return this.#complete(download, sizes);
    const size = Math.max(receivedBytes, totalBytes);
    if (download.agentId !== null && size > MAX_AGENT_DOWNLOAD_BYTES)
      return this.#cancel(
        download,
        "It is larger than 100 MB, the limit for downloads of agents.",
      );
    if ((await freeBytes(browser.downloadFolder)) < MIN_FREE_BYTES)
      return this.#cancel(download, "The disk is almost full.");
    await records.progress(await download.recordId, sizes);
  }

  async #complete(
    download: OpenDownload,
    sizes: { receivedBytes: number; totalBytes: number | null },
  ): Promise<void> {
    const { browser, records, folder } = this.#options;
    download.isEnding = true;
    this.#open.delete(download.guid);
    const id = await download.recordId;
    try {
      const path = await moveDownload(
        join(browser.downloadFolder, download.guid),
        await folder(),
        download.name,
      );
      await records.end(id, { state: "completed", path, ...sizes });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const problem =
        code === "ENOSPC"
          ? "The disk is full."
          : `The file could not be stored (${code ?? "unknown reason"}).`;
      await records.end(id, { state: "failed", problem, ...sizes });
    }
  }

  async #cancel(download: OpenDownload, problem: string): Promise<void> {
    this.#stop(download);
    await this.#end(download, "failed", problem);
  }

  /** Called when the user removes a running download from the list. */
  async #removed(recordId: string): Promise<void> {
    for (const download of this.#open.values())
      if ((await download.recordId) === recordId) {
        download.isEnding = true;
        this.#open.delete(download.guid);
        this.#stop(download);
      }
  }

  #stop({ guid }: OpenDownload): void {
    const { protocol } = this.#options.browser;
    protocol.post("Browser.cancelDownload", { guid }, undefined, () => {});
  }

  async #end(
    download: OpenDownload,
    state: "cancelled" | "failed",
    problem: string | null,
    sizes: object = {},
  ): Promise<void> {
    if (download.isEnding) return;
    download.isEnding = true;
    const { browser, records } = this.#options;
    this.#open.delete(download.guid);
    await records.end(await download.recordId, { state, problem, ...sizes });
    await rm(join(browser.downloadFolder, download.guid), { force: true });
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.log.warn("A download failed", { error: String(error) }),
    );
  }
}
