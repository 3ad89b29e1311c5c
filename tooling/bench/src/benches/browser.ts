import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import {
  openBrowserViewer,
  openTab,
  readTitle,
} from "../measure/browser-viewer.ts";
import { serveSite } from "../measure/browser-site.ts";
import { launchBrowser } from "../measure/chromium.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import type { Daemon } from "../measure/daemon.ts";
import { readCpu, readOwnMemory } from "../measure/process.ts";
import {
  atLeast,
  kilobytes,
  megabytes,
  milliseconds,
  over,
  under,
} from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio, percentile99 } from "../measure/statistics.ts";
import type { Bench } from "./bench.ts";

const REST_MS = 3_000;
const WINDOW_MS = 10_000;
const CLICKS = 60;
const SCROLL_MS = 4_000;
const SCROLL_STEP_MS = 16;
const NO_BYTES = 1;
const percent = (value: number): string => `${value.toFixed(2)} %`;
const frames = (value: number): string => `${Math.round(value)}/s`;
const speed = (values: readonly number[]): string =>
  `${Math.round(median(values))} MB/s`;

/** Time from the wish for a page to its first picture, in ms. The browser does not run yet. */
async function showFirst(daemon: Daemon, url: string): Promise<number> {
  const begin = performance.now();
  const viewer = await openBrowserViewer(daemon, await openTab(daemon, url));
  await viewer.next();
  const took = performance.now() - begin;
  viewer.close();
  return took;
}

/** What a page that stands still costs while it is viewed. */
async function watchStill(
  daemon: Daemon,
  url: string,
): Promise<{ bytes: number; cpu: number }> {
  const viewer = await openBrowserViewer(daemon, await openTab(daemon, url));
  await viewer.next();
  await sleep(REST_MS);
  const before = { bytes: viewer.bytes, cpu: await readCpu(daemon.pid) };
  await sleep(WINDOW_MS);
  const cpu = (await readCpu(daemon.pid)) - before.cpu;
  const bytes = viewer.bytes - before.bytes;
  viewer.close();
  return { bytes, cpu: cpu / (WINDOW_MS / 100) };
}

/** Times from a press to the picture that follows, in ms. */
async function click(daemon: Daemon, url: string): Promise<number[]> {
  const viewer = await openBrowserViewer(daemon, await openTab(daemon, url));
  await viewer.next();
  await sleep(REST_MS);
  const times: number[] = [];
  while (times.length < CLICKS) {
    const mouse = { type: "mouse", x: 400, y: 300, button: 0, clicks: 1 };
    const begin = performance.now();
    const shown = viewer.next();
    viewer.send({ ...mouse, kind: "down", buttons: 1 });
    await shown;
    times.push(performance.now() - begin);
    viewer.send({ ...mouse, kind: "up", buttons: 0 });
    // The still that follows must not be taken for the next one.
    const rest = 700 + Math.random() * 50;
    await sleep(rest);
  }
  viewer.close();
  return times;
}

/** Pictures a second while a page is scrolled, and bytes of each. */
async function scroll(
  daemon: Daemon,
  url: string,
): Promise<{ perSecond: number; bytes: number }> {
  const viewer = await openBrowserViewer(daemon, await openTab(daemon, url));
  await viewer.next();
  await sleep(REST_MS);
  const { pictures, bytes } = viewer;
  const begin = performance.now();
  for (let at = 0; at < SCROLL_MS; at += SCROLL_STEP_MS) {
    viewer.send({ type: "mouse", kind: "wheel", x: 400, y: 300, deltaY: 40 });
    await sleep(SCROLL_STEP_MS);
  }
  const seconds = (performance.now() - begin) / 1_000;
  const count = viewer.pictures - pictures;
  const result = {
    perSecond: count / seconds,
    bytes: (viewer.bytes - bytes) / Math.max(1, count),
  };
  viewer.close();
  return result;
}

/** MB a second that a page of a browser without Gantry reads. */
async function readAlone(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction("document.title !== 'Reading'", undefined, {
    timeout: 60_000,
  });
  const result = Number(await page.title());
  await page.close();
  return result;
}

async function readThroughEgress(daemon: Daemon, url: string): Promise<number> {
  const id = await openTab(daemon, url);
  // Titles are read when a page that is viewed comes to rest.
  const viewer = await openBrowserViewer(daemon, id);
  const title = await readTitle(daemon, id, (text) => /^[\d.]+$/.test(text));
  viewer.close();
  return Number(title);
}

/** The work browser: how soon and how often a picture comes, and what it costs. */
export const browser: Bench = {
  name: "browser",
  title: "Work browser",
  async run({ rounds, signal, say }): Promise<Row[]> {
    await using site = await serveSite();
    await using alone = await launchBrowser(signal);
    const figures = {
      first: [] as number[],
      bytes: [] as number[],
      cpu: [] as number[],
      clicks: [] as number[],
      scrolls: [] as number[],
      frameBytes: [] as number[],
      memory: [] as number[],
      ours: [] as number[],
      theirs: [] as number[],
    };
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      say(`round ${round + 1} of ${rounds}, about 100 s each`);
      await using folder = await createFolder();
      await using daemon = await startDaemon(folder.path, signal);
      const before = await readOwnMemory(daemon.pid);
      figures.first.push(await showFirst(daemon, `${site.url}/button`));
      const still = await watchStill(daemon, `${site.url}/button`);
      figures.bytes.push(still.bytes);
      figures.cpu.push(still.cpu);
      figures.clicks.push(...(await click(daemon, `${site.url}/button`)));
      const scrolled = await scroll(daemon, `${site.url}/long`);
      figures.scrolls.push(scrolled.perSecond);
      figures.frameBytes.push(scrolled.bytes);
      figures.memory.push((await readOwnMemory(daemon.pid)) - before);
      figures.ours.push(await readThroughEgress(daemon, `${site.url}/reading`));
      figures.theirs.push(await readAlone(alone, `${site.url}/reading`));
    }
    const { clicks } = figures;
    return [
      under(
        "Start to first picture",
        median(figures.first),
        1_000,
        milliseconds,
      ),
      under(
        "Bytes of a viewed page that stands still, 10 s",
        median(figures.bytes),
        NO_BYTES,
        kilobytes,
      ),
      under(
        "Processor of daemon and browser meanwhile",
        median(figures.cpu),
        1,
        percent,
      ),
      under("Press to picture, p50", median(clicks), 60, milliseconds),
      under("Press to picture, p99", percentile99(clicks), 150, milliseconds),
      over(
        `Pictures while a page scrolls (${kilobytes(median(figures.frameBytes))} each)`,
        median(figures.scrolls),
        30,
        frames,
      ),
      under(
        "Memory of a profile with four pages",
        median(figures.memory),
        500e6,
        megabytes,
      ),
      atLeast(
        "A page reads 200 MB through the egress",
        speed(figures.ours),
        `Chromium alone ${speed(figures.theirs)}`,
        medianRatio(figures.ours, figures.theirs),
        0.5,
      ),
    ];
  },
};
