import { expect } from "vitest";
import { browserTest, useBrowserStage } from "./support/browser-test.ts";
import { makeHistory, writeTranscript } from "./support/transcript.ts";

const length = 10_000;
const stage = useBrowserStage();

const region = () => stage().page.getByRole("region", { name: "Conversation" });
const feed = () => stage().page.getByRole("feed");

async function openHistory(name: string, count = length): Promise<string> {
  const agent = await stage().createAgent({ name });
  await writeTranscript(stage().daemon.home, agent.id, makeHistory(count));
  await stage().open(agent.id);
  await feed()
    .getByText(`Question ${count / 5 - 1}`, { exact: true })
    .waitFor();
  return agent.id;
}

const toRunMessage = (runId: string) => ({
  ...{ taskId: null, runId, source: "automation" },
  ...{ delivery: "prompt" as const, images: 0 },
});

/** Vertical position of a text on the screen. */
async function topOf(text: string): Promise<number> {
  const box = await feed().getByText(text, { exact: true }).boundingBox();
  return box?.y ?? Number.NaN;
}

browserTest(
  "a conversation of ten thousand entries opens at its end and renders few rows",
  async () => {
    const { page } = stage();
    const id = await openHistory("Long");
    await page.goto("about:blank");
    await page.goto(`${stage().daemon.url}/agents/${id}`);
    await feed()
      .getByText(`Question ${length / 5 - 1}`, { exact: true })
      .waitFor();
    expect(await feed().getByRole("article").count()).toBeLessThan(80);
    const atEnd = await region().evaluate(
      (box) => box.scrollHeight - box.scrollTop - box.clientHeight,
    );
    expect(atEnd).toBeLessThan(2);
  },
);

browserTest("older pages are inserted without a jump", async () => {
  await openHistory("Back");
  let jumps = 0;
  for (let turn = 0; turn < 40; turn += 1) {
    // The text in the middle moves only by the scrolled distance, whatever is inserted above it.
    jumps += await region().evaluate(async (box) => {
      const middle = box.getBoundingClientRect().top + box.clientHeight / 2;
      const found = [...box.querySelectorAll("p")].find(
        (one) => one.getBoundingClientRect().top > middle,
      );
      const before = found?.getBoundingClientRect().top ?? 0;
      box.scrollTop -= 150;
      for (let frame = 0; frame < 8; frame += 1)
        await new Promise(requestAnimationFrame);
      const moved = (found?.getBoundingClientRect().top ?? 0) - before;
      return Math.abs(moved - 150) > 2 ? 1 : 0;
    });
  }
  expect(jumps).toBe(0);
});

browserTest(
  "a link to a run scrolls to its start, however far back",
  async () => {
    const { page, daemon, createAgent } = stage();
    const { id } = await createAgent({ name: "Runs" });
    const entries = makeHistory(2_000).map((one) =>
      one.role === "user" && one.kind === "text"
        ? { ...one, message: toRunMessage(`run_${one.turnId}`) }
        : one,
    );
    await writeTranscript(daemon.home, id, entries);
    const shown = (turn: number) =>
      feed().getByText(`Question ${turn}`, { exact: true });
    const topIn = async (turn: number) => {
      const [text, box] = await Promise.all([
        shown(turn).boundingBox(),
        region().boundingBox(),
      ]);
      return Math.round((text?.y ?? NaN) - (box?.y ?? NaN));
    };
    for (const turn of [123, 395]) {
      await page.goto(`${daemon.url}/agents/${id}?run=run_trn_${turn}`);
      await shown(turn).waitFor();
      // At the top of the viewport; rows around it may still turn out higher than estimated.
      await expect.poll(() => topIn(turn)).toBeLessThan(80);
      expect(await topIn(turn)).toBeGreaterThanOrEqual(0);
    }
    await page.goto(`${daemon.url}/agents/${id}?run=run_unknown`);
    await shown(399).waitFor();
    stage().expectNoFaults();
  },
);

browserTest(
  "the start can be reached by scrolling, and the end with one button",
  async () => {
    const { page } = stage();
    await openHistory("All", 2_000);
    await region().focus();
    const first = () =>
      region().evaluate(
        (box) => box.querySelector<HTMLElement>("[data-row]")?.dataset["row"],
      );
    const isThere = () =>
      feed().getByText("Question 0", { exact: true }).isVisible();
    for (let round = 0; round < 400 && !(await isThere()); round += 1) {
      const before = await first();
      await page.keyboard.press("Home");
      // Either older rows were inserted, or the view scrolled up to loaded ones.
      await expect
        .poll(async () => (await first()) !== before || (await isThere()), {
          interval: 5,
        })
        .toBe(true);
    }
    expect(await isThere()).toBe(true);
    expect(await feed().getByRole("article").count()).toBeLessThan(80);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await feed().getByText("Question 399", { exact: true }).waitFor();
    stage().expectNoFaults();
  },
);

browserTest(
  "few rows are rendered at any time while scrolling through all of it",
  async () => {
    const { page } = stage();
    const most = await region().evaluate(async (box) => {
      let rows = 0;
      for (let step = 0; step < 120; step += 1) {
        box.scrollTop -= 400;
        await new Promise(requestAnimationFrame);
        rows = Math.max(rows, box.querySelectorAll("article").length);
      }
      return rows;
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(80);
    await page.getByRole("button", { name: "Jump to latest" }).click();
  },
);

browserTest(
  "the view of a user who scrolled up stays in place while the agent writes",
  async () => {
    const { page } = stage();
    const id = await openHistory("Writes");
    await region().hover();
    await page.mouse.wheel(0, -1_500);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const text = await region().evaluate((box) => {
      const top = box.getBoundingClientRect().top;
      return (
        [...box.querySelectorAll("p")].find(
          (one) =>
            one.getBoundingClientRect().top > top + 20 &&
            /^Question/.test(one.textContent ?? ""),
        )?.textContent ?? ""
      );
    });
    const before = await topOf(text);
    await stage().prompt(id, "[[long:300:4]]");
    await page.getByRole("button", { name: "New messages" }).waitFor();
    expect(Math.abs((await topOf(text)) - before)).toBeLessThan(2);
    await page.getByRole("button", { name: "New messages" }).click();
    await feed().getByText("word300").waitFor();
    const atEnd = await region().evaluate(
      (box) => box.scrollHeight - box.scrollTop - box.clientHeight,
    );
    expect(atEnd).toBeLessThan(2);
    stage().expectNoFaults();
  },
);
