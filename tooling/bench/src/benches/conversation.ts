import { launchBrowser } from "../measure/chromium.ts";
import { measureConversation } from "../measure/conversation-page.ts";
import { ask } from "../measure/automations.ts";
import { createFolder, startDaemon } from "../measure/daemon.ts";
import { milliseconds, under } from "../measure/row.ts";
import { median } from "../measure/statistics.ts";
import { textOf, writeTranscript } from "../measure/transcript.ts";
import type { Bench } from "./bench.ts";

const ENTRIES = 10_000;
/** A frame of a screen that draws 60 a second, and what a clock is off by. */
const FRAME_MS = 1000 / 60 + 1;

/** A long conversation in a real browser: when its end is there, and how evenly it scrolls. */
export const conversation: Bench = {
  name: "conversation",
  title: `A conversation of ${ENTRIES} entries in Chromium`,
  async run({ rounds, signal, say }) {
    await using folder = await createFolder();
    await using daemon = await startDaemon(folder.path, signal);
    const { id } = await ask<{ id: string }>(daemon, "POST", "/api/agents", {
      name: "Long",
    });
    await writeTranscript(folder.path, id, ENTRIES);
    await using browser = await launchBrowser(signal);
    const shown: number[] = [];
    const frames: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      say(`round ${round + 1} of ${rounds}`);
      const measured = await measureConversation(browser, daemon, {
        path: `/agents/${id}`,
        last: textOf(ENTRIES - 1).slice(0, 12),
      });
      shown.push(measured.shownMs);
      frames.push(...measured.frames);
    }
    frames.sort((left, right) => left - right);
    const at = (share: number) =>
      frames[Math.floor((frames.length - 1) * share)] ?? Number.NaN;
    return [
      under("Its end is there after", median(shown), 300, milliseconds),
      under("Frame while it scrolls, median", at(0.5), FRAME_MS, milliseconds),
      under("… p95", at(0.95), 2 * FRAME_MS, milliseconds),
    ];
  },
};
