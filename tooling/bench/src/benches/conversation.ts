import { join } from "node:path";
import { launchBrowser } from "../measure/chromium.ts";
import { openProfile, openTab } from "../measure/agent-page.ts";
import type { Opening } from "../measure/agent-page.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds, under } from "../measure/row.ts";
import type { Row } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import { lastWords } from "../measure/worked-entries.ts";
import { MAX_SHIFT, createWorkers, shift } from "../measure/workers.ts";
import type { Bench } from "./bench.ts";

const MANY = 10_000;
const FEW = 10;
const MAX_SHOWN_MS = 300;
/** What a long conversation may cost of a short one. */
const MAX_RATIO = 1.3;
/** A frame of a screen that draws 60 a second, and what a clock is off by. */
const FRAME_MS = 1000 / 60 + 1;
const SCROLLED_MS = 2_000;

/** The page of an agent in a real browser whose cache is warm: when its last message is painted, and how it scrolls. */
export const conversation: Bench = {
  name: "conversation",
  title: `The page of an agent with ${MANY} messages in Chromium`,
  needsBrowser: true,
  async run({ rounds, signal }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    const [many, few] = await createWorkers(
      daemon,
      { home: folder.path, cwd: join(folder.path, "project") },
      [MANY, FEW],
    );
    await using browser = await launchBrowser(signal);
    const profile = await openProfile(browser, daemon);
    const shifts: number[] = [];
    const frames: number[] = [];
    const visit = (path: string, count: number) => async () => {
      await using tab = await openTab(profile, daemon);
      const last = lastWords(count - 1);
      const opened = await tab.open(path, last);
      await tab.page.locator("[data-workspace-part]").waitFor();
      shifts.push(await tab.readShift());
      if (count === MANY) {
        const { frames: drawn } = await tab.watch(() =>
          tab.page.evaluate(scroll, SCROLLED_MS),
        );
        frames.push(...drawn);
      }
      return { opened, reloaded: await tab.reload(last) };
    };
    const measures = { many: visit(many, MANY), few: visit(few, FEW) };
    // Fills the caches.
    await interleave({ rounds: 1, signal }, measures);
    shifts.length = frames.length = 0;
    const visits = await interleave({ rounds, signal }, measures);
    const rowsOf = (what: string, way: "opened" | "reloaded") =>
      compare(
        what,
        visits.many.map((one) => one[way]),
        visits.few.map((one) => one[way]),
      );
    frames.sort((left, right) => left - right);
    const at = (share: number) =>
      frames[Math.floor((frames.length - 1) * share)] ?? Number.NaN;
    return [
      ...rowsOf(`Open an agent of ${MANY} messages`, "opened"),
      under("… layout shift", median(shifts), MAX_SHIFT, shift),
      ...rowsOf("… load it again", "reloaded"),
      under("Frame while it scrolls, median", at(0.5), FRAME_MS, milliseconds),
      under("… p95", at(0.95), 2 * FRAME_MS, milliseconds),
    ];
  },
};

/** The rows of one way to come to the page, of a long conversation and of a short one. */
function compare(what: string, many: Opening[], few: Opening[]): Row[] {
  const row = (name: string, key: keyof Opening) => {
    const [ours, theirs] = [many, few].map((all) => all.map((one) => one[key]));
    return atMost(
      name,
      milliseconds(median(ours ?? [])),
      `of ${FEW} ${milliseconds(median(theirs ?? []))}`,
      medianRatio(ours ?? [], theirs ?? []),
      MAX_RATIO,
    );
  };
  const shown = median(many.map(({ shownMs }) => shownMs));
  return [
    under(what, shown, MAX_SHOWN_MS, milliseconds),
    row("… beside a short one", "shownMs"),
    row("… processor time of the page", "cpuMs"),
  ];
}

/** Runs in the page. */
function scroll(forMs: number): Promise<void> {
  const scroller = document.querySelector("[data-conversation]");
  const begun = performance.now();
  return new Promise((resolve) => {
    const step = (now: number) => {
      scroller?.scrollBy(0, -40);
      if (now - begun < forMs) requestAnimationFrame(step);
      else resolve();
    };
    requestAnimationFrame(step);
  });
}
