import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { watchPage } from "@gantry/plugin-testing/browser";
import { keepPicture } from "@gantry/build/testing";
import { beforeAll, expect, test } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import {
  chromiumPath,
  launchBrowser,
  viewingChromiumPath,
} from "./support/e2e.ts";
import {
  makePdf,
  makeWave,
  recordVideo,
  shareOfPixels,
} from "./support/media.ts";

const SECONDS = 60;

const house = useHouse();
let agentId: string;
let cwd: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  cwd = join(house().folder, "media");
  await mkdir(cwd);
  await writeFile(join(cwd, "offer.pdf"), makePdf("Offer"));
  await writeFile(join(cwd, "tone.wav"), makeWave(SECONDS));
  await writeFile(join(cwd, "broken.mp3"), "no sound at all");
  agentId = (await house().createAgent({ name: "Media", cwd })).id;
});

const addressOf = (path: string) =>
  `${house().daemon.url}/agents/${agentId}/files?path=${path}`;

const show = (path: string) => house().page.goto(addressOf(path));

(!viewingChromiumPath ? test.skip : test)(
  "a PDF is drawn by the browser's own viewer",
  { tags: "thorough" },
  async () => {
    await using browser = await launchBrowser({
      executablePath: viewingChromiumPath,
    });
    const { context } = house().visitor;
    const page = await browser.newPage({
      storageState: await context.storageState(),
    });
    const { faults } = watchPage(page, house().daemon.url);
    await page.goto(addressOf("offer.pdf"));
    const frame = page.locator('iframe[title="offer.pdf"]');
    await frame.waitFor();
    await expect
      .poll(async () => shareOfPixels(page, await page.screenshot(), "red"))
      .toBeGreaterThan(0.05);
    await keepPicture(page, "screenshots/preview-pdf");
    expect(faults).toEqual([]);
  },
);

browserTest(
  "a browser without a viewer of PDFs offers the file",
  { tags: "thorough" },
  async () => {
    const page = await house().visitor.context.newPage();
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, "pdfViewerEnabled", {
        get: () => false,
      }),
    );
    await page.goto(addressOf("offer.pdf"));
    await page.getByText("The browser cannot show this file").waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    await page.close();
  },
);

browserTest(
  "a sound plays, also from its middle, of which only that part is fetched",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await show("tone.wav");
    const audio = page.locator('audio[aria-label="tone.wav"]');
    await audio.waitFor();
    const played = await audio.evaluate(async (element, at) => {
      const player = element as HTMLAudioElement;
      const once = (name: string) =>
        new Promise((resolve) =>
          player.addEventListener(name, resolve, { once: true }),
        );
      if (player.readyState < 1) await once("loadedmetadata");
      const sought = once("seeked");
      player.currentTime = at;
      await sought;
      player.muted = true;
      const moved = once("timeupdate");
      await player.play();
      await moved;
      player.pause();
      return { duration: player.duration, time: player.currentTime };
    }, SECONDS - 10);
    expect(played.duration).toBeCloseTo(SECONDS, 1);
    expect(played.time).toBeGreaterThanOrEqual(SECONDS - 10);
    await keepPicture(page, "screenshots/preview-audio");
    const part = await page.evaluate(async (id) => {
      const answer = await fetch(`/api/agents/${id}/blob?path=tone.wav`, {
        headers: { range: "bytes=44-143" },
      });
      return [
        answer.status,
        (await answer.arrayBuffer()).byteLength,
        answer.headers.get("content-type"),
      ];
    }, agentId);
    expect(part).toEqual([206, 100, "audio/wav"]);
    house().expectPeace();
  },
);

browserTest("a video is shown and plays", { tags: "thorough" }, async () => {
  const { page } = house();
  await writeFile(join(cwd, "square.webm"), await recordVideo(page));
  await show("square.webm");
  const video = page.locator('video[aria-label="square.webm"]');
  await video.waitFor();
  const played = await video.evaluate(async (element) => {
    const player = element as HTMLVideoElement;
    player.muted = true;
    const ended = new Promise((resolve) =>
      player.addEventListener("ended", resolve, { once: true }),
    );
    await player.play();
    await ended;
    return [player.videoWidth, player.videoHeight, player.error];
  });
  expect(played).toEqual([160, 120, null]);
  expect(
    await shareOfPixels(page, await page.screenshot(), "green"),
  ).toBeGreaterThan(0.005);
  await keepPicture(page, "screenshots/preview-video");
  house().expectPeace();
});

browserTest(
  "what is no sound in spite of its name can be downloaded",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    await show("broken.mp3");
    await page.getByText("The browser cannot show this file").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("broken.mp3");
  },
);
