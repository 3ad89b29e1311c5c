import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openProfile, openTab } from "../measure/agent-page.ts";
import { ask } from "../measure/automations.ts";
import { launchBrowser } from "../measure/chromium.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { interleave } from "../measure/rounds.ts";
import { atMost, milliseconds, percent, under } from "../measure/row.ts";
import { median, medianRatio } from "../measure/statistics.ts";
import { lastWords } from "../measure/worked-entries.ts";
import { MAX_SHIFT, createWorkers, shift } from "../measure/workers.ts";
import type { Bench } from "./bench.ts";

const AGENT = fileURLToPath(
  new URL("../../peers/streaming-agent.mjs", import.meta.url),
);
const MANY = 10_000;
const FEW = 10;
const PER_SECOND = 100;
const SECONDS = 10;
const RESTED_MS = 3_000;
/** One takes half a minute. */
const MAX_ROUNDS = 3;
/** Two frames of a screen that draws 60 a second. */
const LATE_FRAME_MS = 34;
const LONG_TASK_MS = 50;

/** A long answer while it is written, in a conversation of which all is read already. */
export const streaming: Bench = {
  name: "streaming",
  title: `An answer of ${PER_SECOND} pieces a second below ${MANY} messages in Chromium`,
  needsBrowser: true,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await writeConfig(folder.path);
    await using daemon = await startDaemon(folder.path, signal);
    await using browser = await launchBrowser(signal);
    const times = Math.min(rounds, MAX_ROUNDS);
    let round = 0;
    const stream = (count: number) => async () => {
      say(`${count} messages, ${(round += 1)} of ${2 * times}`);
      const cwd = join(folder.path, `round-${round}`);
      const [path] = await createWorkers(
        daemon,
        { home: folder.path, cwd },
        [count],
        "streaming",
      );
      const profile = await openProfile(browser, daemon);
      await using tab = await openTab(profile, daemon);
      await tab.open(path, lastWords(count - 1));
      await readAll(tab.page);
      const rest = await tab.watch(() => tab.page.waitForTimeout(RESTED_MS));
      // Asked of the daemon: to look for a text in the page again and again costs more than to draw it.
      const streamed = await tab.watch(() =>
        ask(daemon, "POST", `/api${path}/ask`, { text: "Say a lot." }),
      );
      await tab.page
        .locator('[role="feed"]')
        .getByText("End of the stream.")
        .waitFor();
      const shifted = await tab.readShift();
      await profile.close();
      // The navigation has links to the first few agents only.
      await ask(daemon, "DELETE", `/api${path}`, {});
      return { rest, streamed, shifted };
    };
    const results = await interleave(
      { rounds: times, signal },
      { many: stream(MANY), few: stream(FEW) },
    );
    const { many, few } = results;
    const late = (of: "rest" | "streamed") =>
      median(many.map((one) => shareOfLate(one[of].frames)));
    const cpu = (all: typeof many) =>
      all.map(({ streamed }) => streamed.cpuMs / SECONDS);
    return [
      under(
        "Stream a long answer, frames over 34 ms",
        late("streamed"),
        0.01,
        percent,
        `at rest ${percent(late("rest"))}`,
      ),
      under(
        "… longest task",
        median(many.map(({ streamed }) => streamed.longestTaskMs)),
        LONG_TASK_MS,
        milliseconds,
        `at rest ${milliseconds(median(many.map(({ rest }) => rest.longestTaskMs)))}`,
      ),
      atMost(
        "… processor time of the page a second",
        milliseconds(median(cpu(many))),
        `below ${FEW} messages ${milliseconds(median(cpu(few)))}`,
        medianRatio(cpu(many), cpu(few)),
        1.3,
      ),
      under(
        "… layout shift with the opening",
        median(many.map(({ shifted }) => shifted)),
        MAX_SHIFT,
        shift,
      ),
    ];
  },
};

async function writeConfig(home: string): Promise<void> {
  const args = [AGENT, String(PER_SECOND), String(SECONDS)];
  const command = process.execPath;
  const clis = { streaming: { driver: "acp", command, args } };
  await mkdir(home, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ settings: { agents: { clis } } });
  await writeFile(join(home, "config.json"), text, { mode: 0o600 });
}

/** Scrolls up until nothing older is left to be read, and back to the end. */
async function readAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const box = document.querySelector("[data-conversation]");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    // The number of all messages is told once the first is known.
    while (box?.querySelector('[aria-setsize="-1"]')) {
      box.scrollTop = 0;
      await frame();
    }
    for (let count = 0; box && count < 60; count += 1) {
      box.scrollTop = box.scrollHeight;
      await frame();
    }
  });
}

function shareOfLate(frames: readonly number[]): number {
  return frames.filter((ms) => ms > LATE_FRAME_MS).length / frames.length;
}
