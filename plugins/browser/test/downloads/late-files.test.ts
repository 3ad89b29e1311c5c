import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeClock } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import type { RunningBrowser } from "../../src/chromium/browser-pool.ts";
import {
  BrowserDownloads,
  MAX_RUNNING,
} from "../../src/downloads/browser-downloads.ts";
import { createDownloadFiles } from "../../src/downloads/download-files.ts";
import { createDownloadLimits } from "../../src/downloads/download-limits.ts";
import type { ProtocolEvent } from "../../src/protocol/protocol-connection.ts";
import type { DownloadUpdate } from "../../src/records/downloads.ts";
import type { Download } from "../../src/records/schemas.ts";

/** The downloads of a browser whose part the test plays. */
async function follow() {
  const folder = await mkdtemp(join(tmpdir(), "gantry-late-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let listener: (event: ProtocolEvent) => void = () => {};
  const cancelled: unknown[] = [];
  const updates = new Map<string, DownloadUpdate>();
  const protocol = {
    closed: new Promise(() => {}),
    onEvent: (given: typeof listener) => void (listener = given),
    async send(method: string, params: Record<string, unknown>) {
      if (method === "Browser.cancelDownload") cancelled.push(params["guid"]);
    },
  };
  let count = 0;
  const clock = createFakeClock();
  const downloads = new BrowserDownloads({
    browser: {
      ...{ owner: { kind: "user" }, protocol, downloadFolder: folder },
    } as unknown as RunningBrowser,
    records: {
      add: async () => ({ id: `dwn_${count++}` }) as Download,
      async update(id, update) {
        updates.set(id, update);
        return { id } as Download;
      },
    },
    files: createDownloadFiles(join(folder, "kept")),
    limits: createDownloadLimits(
      { maxBytes: 1_000, agentMaxBytes: 1_000, minFreeBytes: 0 },
      () => "act",
    ),
    clock,
    log: { warn: () => {} } as never,
    urlOf: () => "https://a.example/",
    tabOf: (frameId) => frameId,
    noteMisuse: () => {},
  });
  await downloads.follow();
  return {
    ...{ downloads, cancelled, updates, clock },
    begin: (guid: string) =>
      listener({
        method: "Browser.downloadWillBegin",
        params: {
          ...{ guid, frameId: "f", url: "https://a.example/a" },
          suggestedFilename: "a",
        },
      }),
    progress: (guid: string, state: string) =>
      listener({
        method: "Browser.downloadProgress",
        params: { guid, state, receivedBytes: 4, totalBytes: 4 },
      }),
    write: (name: string) => writeFile(join(folder, name), "file"),
    left: async () => (await readdir(folder)).filter((name) => name !== "kept"),
  };
}

test("a file that is complete although its download was one too many is removed", async () => {
  const { begin, progress, write, left, cancelled } = await follow();
  for (let index = 0; index < MAX_RUNNING; index++) begin(`guid-${index}`);
  begin("over");
  expect(cancelled).toEqual(["over"]);
  await write("over");
  progress("over", "completed");
  await expect.poll(left).toEqual([]);
});

test("what Chromium writes of a cancelled download before it takes the cancellation is removed", async () => {
  const { downloads, begin, progress, write, left, cancelled } = await follow();
  begin("guid");
  await downloads.cancel("dwn_0");
  expect(cancelled).toEqual(["guid"]);
  await write("guid.crdownload");
  // It was told too early, and is told again.
  progress("guid", "inProgress");
  expect(cancelled).toEqual(["guid", "guid"]);
  progress("guid", "canceled");
  await expect.poll(left).toEqual([]);
});

test("what Chromium writes after it has confirmed a cancellation is removed", async () => {
  const { downloads, begin, progress, write, left, clock } = await follow();
  begin("guid");
  await downloads.cancel("dwn_0");
  progress("guid", "canceled");
  await write("guid.crdownload");
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return await left();
    })
    .toEqual([]);
});
