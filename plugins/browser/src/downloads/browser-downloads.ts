import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describeError } from "@gantry/plugin";
import type { Clock, Log } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { DownloadInput, DownloadUpdate } from "../records/downloads.ts";
import type { Download } from "../records/schemas.ts";
import { toWebUrl } from "../records/texts.ts";
import { cleanFileName } from "./clean-file-name.ts";
import type { DownloadFiles } from "./download-files.ts";
import { describeFault } from "./download-limits.ts";
import type { DownloadLimits } from "./download-limits.ts";

/** Downloads of one browser that may run at the same time. */
export const MAX_RUNNING = 8;
/** Downloads that one browser may begin within a minute. */
export const MAX_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Time between two reports of progress, each of which is a write and an event. */
const REPORT_MS = 1_000;

/** When a partial file is removed again: a busy Chromium writes it after it has confirmed the cancellation, and leaves it. */
const REMOVE_AGAIN_MS = [1_000, 10_000, 60_000];

const INTERRUPTED = "The transfer was interrupted. Download it again.";
const TOO_MANY = `This page started too many downloads: ${MAX_RUNNING} may run at a time, and ${MAX_PER_MINUTE} may begin in a minute. The others were cancelled.`;

/** Dependencies of {@link BrowserDownloads}. */
export interface BrowserDownloadsOptions {
  browser: RunningBrowser;
  records: {
    add(input: DownloadInput): Promise<Download>;
    update(id: string, update: DownloadUpdate): Promise<Download | undefined>;
  };
  files: DownloadFiles;
  limits: DownloadLimits;
  clock: Pick<Clock, "after" | "monotonic">;
  log: Log;
  /** The tab in which a frame is. */
  tabOf(frameId: string): string;
  /** Address of a tab; `undefined` if there is none. */
  urlOf(tabId: string): string | undefined;
  /** Notes what the page of a tab did too much of. */
  noteMisuse(tabId: string, problem: string): void;
}

interface OpenDownload {
  guid: string;
  record: Promise<Download>;
  /** Monotonic time of the last report. */
  reportedAt: number;
  sizes: Pick<DownloadUpdate, "receivedBytes" | "totalBytes">;
}

interface Progress {
  guid: string;
  totalBytes: number;
  receivedBytes: number;
  state: "inProgress" | "completed" | "canceled";
}

/** The downloads of one browser: keeps their records and limits, and takes their files when they are complete. */
export class BrowserDownloads {
  readonly #options: BrowserDownloadsOptions;
  readonly #open = new Map<string, OpenDownload>();
  /** Ids of those whose complete files are being taken. */
  readonly #taking = new Set<string>();
  /** Monotonic times at which the last ones began. */
  #begun: number[] = [];

  constructor(options: BrowserDownloadsOptions) {
    this.#options = options;
  }

  /** Follows the downloads from now on. */
  async follow(): Promise<void> {
    const { protocol, downloadFolder } = this.#options.browser;
    protocol.onEvent((event) => this.#take(event));
    void protocol.closed.then(() => {
      for (const download of [...this.#open.values()])
        this.#run(
          this.#fail(
            download,
            "The browser ended before it was complete. Download it again.",
          ),
        );
    });
    await protocol.send("Browser.setDownloadBehavior", {
      // Named by their guid: a name from a site could be that of another file.
      behavior: "allowAndName",
      downloadPath: downloadFolder,
      eventsEnabled: true,
    });
  }

  /** Cancels a download whose record was removed. */
  async cancel(recordId: string): Promise<void> {
    for (const download of [...this.#open.values()])
      if ((await download.record).id === recordId) await this.#drop(download);
  }

  #take({ method, params }: ProtocolEvent): void {
    if (method === "Browser.downloadWillBegin")
      this.#begin(params as Record<string, string>);
    if (method === "Browser.downloadProgress")
      this.#run(this.#progress(params as unknown as Progress));
  }

  #begin(params: Record<string, string>): void {
    const { browser, limits, records, clock, tabOf, noteMisuse } =
      this.#options;
    const {
      guid = "",
      frameId = "",
      url = "",
      suggestedFilename = "",
    } = params;
    const now = clock.monotonic();
    this.#begun = this.#begun.filter((at) => now - at < MINUTE_MS);
    const tabId = tabOf(frameId);
    const source = this.#toSource(url, tabId);
    // Without records: a page could fill the list, and with it drop those of the user.
    if (
      this.#open.size >= MAX_RUNNING ||
      this.#begun.length >= MAX_PER_MINUTE ||
      source === undefined
    ) {
      noteMisuse(tabId, TOO_MANY);
      return this.#sendCancel(guid);
    }
    this.#begun.push(now);
    const record = records.add({
      ...{ url: source, fileName: cleanFileName(suggestedFilename) },
      ...{ totalBytes: null, isKept: true },
      agentId: browser.owner.kind === "agent" ? browser.owner.agentId : null,
    });
    const download = {
      ...{ guid, record, sizes: {} },
      // The first progress tells the size, which the disk may have no room for.
      reportedAt: now - REPORT_MS,
    };
    this.#open.set(guid, download);
    // Without a record nothing is downloaded: the store is full, say.
    record.catch(() => this.#run(this.#drop(download)));
    const refusal = limits.refuse(browser.owner);
    if (refusal !== null) this.#run(this.#fail(download, refusal));
  }

  /** The http or https address that a file comes from; that of the page for files that the page made. */
  #toSource(url: string, tabId: string): string | undefined {
    const { urlOf } = this.#options;
    for (const each of [url, urlOf(tabId) ?? ""]) {
      // That of a blob, or of an address that is too long for a record, is its origin.
      const source = toWebUrl(each) ?? toWebUrl(URL.parse(each)?.origin ?? "");
      if (source !== undefined) return source;
    }
    return undefined;
  }

  async #progress(progress: Progress): Promise<void> {
    const { browser, clock, limits, records } = this.#options;
    const download = this.#open.get(progress.guid);
    const { receivedBytes, totalBytes, state } = progress;
    if (!download) {
      // Chromium does not yet know a download that it has just announced.
      if (state === "inProgress") return this.#sendCancel(progress.guid);
      // It was complete before the cancellation, or was written to after its file was removed.
      if (this.#taking.has(progress.guid)) return;
      return await this.#removePartial(progress);
    }
    download.sizes = { receivedBytes, totalBytes: totalBytes || null };
    if (state === "completed") return await this.#complete(download);
    const sizes = { receivedBytes, totalBytes };
    const checkDisk = () => limits.checkDisk(browser.downloadFolder, sizes);
    if (state === "canceled")
      // Chromium does not say that the disk is full.
      return await this.#fail(download, (await checkDisk()) ?? INTERRUPTED);
    const excess = limits.checkSize(browser.owner, sizes);
    if (excess !== null) return await this.#fail(download, excess);
    if (clock.monotonic() - download.reportedAt < REPORT_MS) return;
    download.reportedAt = clock.monotonic();
    const full = await checkDisk();
    if (!this.#open.has(download.guid)) return;
    if (full !== null) return await this.#fail(download, full);
    const { id } = await download.record;
    await records.update(id, download.sizes);
  }

  async #complete(download: OpenDownload): Promise<void> {
    this.#open.delete(download.guid);
    this.#taking.add(download.guid);
    try {
      await this.#takeFile(download);
    } finally {
      this.#taking.delete(download.guid);
    }
  }

  async #takeFile(download: OpenDownload): Promise<void> {
    const { browser, files, records } = this.#options;
    const file = join(browser.downloadFolder, download.guid);
    const { id } = await download.record;
    try {
      const size = await files.take(file, id);
      const done = await records.update(id, {
        ...{ state: "completed", receivedBytes: size, totalBytes: size },
      });
      // Its record was removed in the meantime.
      if (!done) await files.remove(id);
    } catch (error) {
      await records.update(id, {
        ...{ state: "failed", problem: describeFault(error) },
      });
      await this.#removePartial(download);
    }
  }

  async #fail(download: OpenDownload, problem: string): Promise<void> {
    if (!this.#open.has(download.guid)) return;
    await this.#drop(download);
    const { id } = await download.record;
    await this.#options.records.update(id, {
      ...download.sizes,
      ...{ state: "failed", problem },
    });
  }

  /** Ends a download and removes what there is of its file. */
  async #drop(download: OpenDownload): Promise<void> {
    if (!this.#open.delete(download.guid)) return;
    this.#sendCancel(download.guid);
    await this.#removePartial(download);
  }

  async #removePartial({ guid }: { guid: string }): Promise<void> {
    const file = join(this.#options.browser.downloadFolder, guid);
    const remove = async () => {
      for (const each of [file, `${file}.crdownload`])
        await rm(each, { force: true });
    };
    for (const ms of REMOVE_AGAIN_MS)
      this.#options.clock.after(ms, () => this.#run(remove()));
    await remove();
  }

  #sendCancel(guid: string): void {
    this.#options.browser.protocol
      .send("Browser.cancelDownload", { guid })
      // It has ended in the meantime.
      .catch(() => {});
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.log.warn("A download was not recorded", {
        reason: describeError(error),
      }),
    );
  }
}
