import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { copyCrashedHome } from "@gantry/plugin-testing";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import type { Download } from "../../src/contract.ts";
import { MAX_RUNNING } from "../../src/downloads/browser-downloads.ts";
import { processesWith } from "../support/processes.ts";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { sendFile, startPages } from "../support/start-pages.ts";
import type { Pages } from "../support/start-pages.ts";

const KIB = 1024;
const PATH = "/api/browser/downloads";
const SETTINGS = {
  ...REAL,
  downloads: { maxBytes: 1_000_000, agentMaxBytes: 10_000 },
};

/** Bytes of what does not end. More would only keep the processor busy. */
const ABOVE_LIMIT = 2_000_000;

/** Resolves when the client of an answer has left. */
let left: Promise<unknown>;
const endless = (announced: number) => (response: ServerResponse) => {
  left = once(response, "close");
  sendFile(response, { name: "huge.bin", announced, bytes: ABOVE_LIMIT });
};
/** Answers of `/slow` whose clients are still there. */
let waiting = 0;
const slow = (response: ServerResponse) => {
  waiting++;
  response.once("close", () => waiting--);
  sendFile(response, { name: "slow.bin", announced: 90_000, bytes: 10_000 });
};

const PAGES = {
  "/file": (response: ServerResponse) =>
    sendFile(response, {
      name: "../re\u202eport\u200b.html",
      ...{ announced: 64 * KIB, bytes: 64 * KIB },
    }),
  // More than any disk has, and less than the limit of that test.
  "/huge": endless(2 ** 50),
  "/10-gb": endless(10_000_000_000),
  "/unsized": (response: ServerResponse) => {
    left = once(response, "close");
    response.writeHead(200, { "content-type": "application/zip" });
    response.write(Buffer.alloc(ABOVE_LIMIT));
  },
  "/slow": slow,
  "/made": `<title>Made</title><a download="note.txt">x</a><script>
    const link = document.querySelector("a");
    link.href = URL.createObjectURL(new Blob(["a note"]));
    link.click();
  </script>`,
  // A browser makes six connections to one host, and lets a page start ten downloads in a second. A click takes the place of one
  // before it that has no answer yet, so there are more clicks than downloads.
  "/many": `<title>Many</title><a>x</a><script>
    const link = document.querySelector("a");
    for (let count = 0; count < 40; count++) setTimeout(() => {
      const host = count % 2 ? "shop.test:" : "other.test:";
      link.href = "http://" + host + location.port + "/slow?" + count;
      link.click();
    }, count * 100);
  </script>`,
  // A page with another one in a frame, whose address is its fragment.
  "/framing": `<title>Framing</title><iframe></iframe><script>
    document.querySelector("iframe").src = location.hash.slice(1);
  </script>`,
};

describe.skipIf(chromiumPath === undefined)("downloads of a Chromium", () => {
  let bench: BrowsingBench;
  let pages: Pages;
  beforeAll(async () => {
    pages = await startPages(PAGES);
    bench = await startBrowsing(SETTINGS);
    for (const name of ["shop.test", "other.test"])
      bench.names.set(name, ["127.0.0.1"]);
  });
  afterAll(async () => {
    await bench?.stop();
    await pages?.[Symbol.asyncDispose]();
  });

  const list = async () =>
    (await bench.api.get<{ items: Download[] }>(PATH)).body.items;
  /** The newest download. */
  const newest = async () => (await list())[0];
  const open = (path: string, agentId?: string) =>
    bench.post(pages.url(path), agentId);
  /** Closes a tab whose page keeps starting downloads, and ends those by removing their records. */
  const endAll = async (tabId: string) => {
    await bench.api.delete(`/api/browser/tabs/${tabId}`, {});
    await expect
      .poll(async () => {
        for (const { id, state } of await list())
          if (state === "running") await bench.api.delete(`${PATH}/${id}`, {});
        return waiting;
      })
      .toBe(0);
  };
  /** Names of all files that downloads have left, finished or not. */
  async function filesLeft(): Promise<string[]> {
    const folder = join(bench.home, "browser");
    const all = await readdir(folder, { recursive: true });
    return all.filter((name) => /ownloads\/./.test(name));
  }

  test("a file is kept under a clean name, and is fetched and removed", async () => {
    await open("/file");
    await expect.poll(newest).toMatchObject({
      // Chromium itself replaces characters by underscores.
      ...{ state: "completed", fileName: "_re_port_.html" },
      ...{ url: pages.url("/file"), receivedBytes: 64 * KIB },
      ...{ totalBytes: 64 * KIB, problem: null, agentId: null },
    });
    const { id, file } = (await newest())!;
    expect(file).toBe(`${PATH}/${id}/file`);
    const answer = await bench.api.open(file!);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''_re_port_.html",
      "x-content-type-options": "nosniff",
    });
    expect((await answer.arrayBuffer()).byteLength).toBe(64 * KIB);
    const path = join(bench.home, "browser", "downloads", id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await bench.stranger.get(file!)).status).toBe(401);

    expect((await bench.api.delete(`${PATH}/${id}`, {})).status).toBe(200);
    expect(await filesLeft()).toEqual([]);
    expect(await bench.api.get(file!)).toMatchObject({
      ...{ status: 404, body: { code: "BROWSER_FILE_NOT_FOUND" } },
    });
  });

  test("a file that a page made belongs to the address of the page", async () => {
    await open("/made");
    await expect.poll(newest).toMatchObject({
      ...{ state: "completed", fileName: "note.txt", receivedBytes: 6 },
      url: expect.stringMatching(
        `^${new URL(pages.url("/made")).origin}/`,
      ) as string,
    });
  });

  test("a file over the limit is cut, whether its size is announced or not", async () => {
    for (const path of ["/10-gb", "/unsized"]) {
      await open(path);
      await expect.poll(newest).toMatchObject({
        ...{ url: pages.url(path), state: "failed", file: null },
        problem:
          "It is larger than 1 MB, the limit for downloads (settings.browser.downloads.maxBytes).",
      });
      await left;
    }
    expect(
      (await filesLeft()).filter((name) => !name.startsWith("downloads/dwn_")),
    ).toEqual([]);
  });

  test("an agent downloads only where it may use pages, and less than the user", async () => {
    const [agentId] = await addAgents(bench, 1);
    const allow = (tier: string) =>
      bench.api.put(`/api/browser/policies/${agentId}`, {
        ...{ tier, sites: [new URL(pages.url("/")).host] },
      });
    await allow("read");
    await open("/slow", agentId);
    await expect.poll(newest).toMatchObject({
      ...{ agentId, state: "failed" },
      problem: expect.stringContaining("may not download") as string,
    });
    await allow("act");
    await open("/file", agentId);
    await expect.poll(newest).toMatchObject({
      ...{ agentId, state: "failed", url: pages.url("/file") },
      problem: expect.stringContaining("agentMaxBytes") as string,
    });
  });

  test("a file that leaves too little room on the disk is not downloaded", async () => {
    const full = { ...REAL, downloads: { maxBytes: 2 ** 51 } };
    await using other = await startBrowsing(full);
    other.names.set("shop.test", ["127.0.0.1"]);
    await other.post(pages.url("/huge"));
    await expect
      .poll(
        async () =>
          (await other.api.get<{ items: Download[] }>(PATH)).body.items[0],
      )
      .toMatchObject({
        state: "failed",
        problem: expect.stringMatching(
          /^The disk has too little room: .* are free, of which .* stay free/,
        ) as string,
      });
  });

  test(
    "a page that starts any number of downloads fills neither the list nor the disk",
    { tags: ["thorough"] },
    async () => {
      await bench.clock.advance(60_000);
      const before = (await list()).length;
      await bench.post(pages.url("/", "other.test"));
      const { body } = await open("/many");
      await expect
        .poll(
          async () =>
            (await bench.tabs()).find(({ id }) => id === body.id)?.problem ??
            "",
        )
        .toContain("too many downloads");
      expect((await list()).length - before).toBe(MAX_RUNNING);
      await endAll(body.id);
      await bench.api.post(`${PATH}/clear`, {});
      expect(await list()).toEqual([]);
      // Partial files come and go for a while: a busy Chromium writes some after it has confirmed their cancellation.
      await expect
        .poll(async () => {
          await bench.clock.advance(1_000);
          return await filesLeft();
        })
        .toEqual([]);
    },
  );

  test.each(["shop.test", "other.test"])(
    "a frame of %s that starts too many downloads is reported at its tab",
    { tags: ["thorough"] },
    async (host) => {
      await bench.clock.advance(60_000);
      await bench.post(pages.url("/", "shop.test"));
      await bench.post(pages.url("/", "other.test"));
      const framing = pages.url("/framing", "shop.test");
      const { body } = await bench.post(
        `${framing}#${pages.url("/many", host)}`,
      );
      await expect
        .poll(
          async () =>
            (await bench.tabs()).find(({ id }) => id === body.id)?.problem,
        )
        .toContain("too many downloads");
      await endAll(body.id);
    },
  );

  test("what is running when the browser or the daemon ends has failed", async () => {
    const running = async () =>
      expect.poll(async () => (await newest())?.state).toBe("running");
    await bench.clock.advance(60_000);
    await open("/slow");
    await running();
    const [browser] = await processesWith(`${bench.home}/browser`);
    process.kill(browser!.pid, "SIGKILL");
    await expect.poll(newest).toMatchObject({
      ...{
        state: "failed",
        problem: expect.stringMatching(
          "ended before it was complete|was interrupted",
        ) as string,
      },
    });
    await open("/slow");
    await running();
    const copy = await mkdtemp(join(tmpdir(), "gantry-crashed-"));
    onTestFinished(() => rm(copy, { recursive: true, force: true }));
    copyCrashedHome(bench.home, copy);
    await bench.restart();
    expect(await newest()).toMatchObject({ state: "failed", file: null });

    const lost = join(copy, "browser", "downloads", createIdentifier("dwn"));
    await mkdir(dirname(lost), { recursive: true });
    await writeFile(lost, "a file whose record was removed before a kill");
    await using crashed = await startBrowsing(SETTINGS, { home: copy });
    const { body } = await crashed.api.get<{ items: Download[] }>(PATH);
    expect(body.items[0]).toMatchObject({
      ...{ state: "failed", fileName: "slow.bin" },
      problem: "Gantry ended before it was complete. Download it again.",
    });
    await expect(stat(lost)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
