import { expect } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { makeHistory, writeTranscript } from "./support/transcript.ts";

const length = 10_000;
const house = useHouse();

const region = () => house().page.getByRole("region", { name: "Conversation" });
const feed = () => house().page.getByRole("feed");

async function openHistory(name: string, count = length): Promise<string> {
  const agent = await house().createAgent({ name });
  await writeTranscript(house().daemon.home, agent.id, makeHistory(count));
  await house().open(agent.id);
  await feed()
    .getByText(`Question ${count / 5 - 1}`, { exact: true })
    .waitFor();
  return agent.id;
}

const toRunMessage = (runId: string) => ({
  ...{ taskId: null, runId, source: "automation" },
  ...{ delivery: "prompt" as const, images: 0 },
});

/** Position of a text on the screen. */
async function topOf(text: string): Promise<number> {
  const box = await feed().getByText(text, { exact: true }).boundingBox();
  return box?.y ?? Number.NaN;
}

browserTest(
  "a conversation of ten thousand entries opens at its end, and draws little of it",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const id = await openHistory("Long");
    await page.goto("about:blank");
    await page.goto(`${house().daemon.url}/agents/${id}`);
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

browserTest(
  "older pages come in without a jump",
  { tags: "thorough" },
  async () => {
    await openHistory("Back");
    let jumps = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      // What is in the middle of the view moves by what was scrolled and nothing else, whatever comes in above it.
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
  },
);

browserTest(
  "a link to a run leads to where it begins, however far back that is",
  { tags: "thorough" },
  async () => {
    const { page, daemon, createAgent } = house();
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
      // At the beginning of the view; what is around it may still turn out to be higher.
      await expect.poll(() => topIn(turn)).toBeLessThan(80);
      expect(await topIn(turn)).toBeGreaterThanOrEqual(0);
    }
    await page.goto(`${daemon.url}/agents/${id}?run=run_unknown`);
    await shown(399).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "reading back to the beginning works, and the end is one key away",
  { tags: "thorough" },
  async () => {
    const { page } = house();
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
      // Either there are older ones now, or the view went up to what was read already.
      await expect
        .poll(async () => (await first()) !== before || (await isThere()), {
          interval: 5,
        })
        .toBe(true);
    }
    expect(await isThere()).toBe(true);
    expect(await feed().getByRole("article").count()).toBeLessThan(80);
    await page.getByRole("button", { name: "To the end" }).click();
    await feed().getByText("Question 399", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "scrolling through all of it keeps up with the screen",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const frames = await region().evaluate(async (box) => {
      const times: number[] = [];
      let last = performance.now();
      for (let step = 0; step < 120; step += 1) {
        box.scrollTop -= 400;
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
      return times.toSorted((one, other) => one - other);
    });
    const median = frames[Math.floor(frames.length / 2)] ?? 0;
    const slow = frames[Math.floor(frames.length * 0.95)] ?? 0;
    console.info(
      `frames while scrolling: median ${median.toFixed(1)} ms, 95 % within ${slow.toFixed(1)} ms`,
    );
    // Far above what it takes: other tests run beside this one.
    expect(median).toBeLessThan(300);
    await page.getByRole("button", { name: "To the end" }).click();
  },
);

browserTest(
  "a reader who went up is left alone while the agent writes",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const id = await openHistory("Writes");
    await region().hover();
    await page.mouse.wheel(0, -1_500);
    await page.getByRole("button", { name: "To the end" }).waitFor();
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
    await house().prompt(id, "[[long:300:4]]");
    await page.getByRole("button", { name: "New messages" }).waitFor();
    expect(Math.abs((await topOf(text)) - before)).toBeLessThan(2);
    await page.getByRole("button", { name: "New messages" }).click();
    await feed().getByText("word300").waitFor();
    const atEnd = await region().evaluate(
      (box) => box.scrollHeight - box.scrollTop - box.clientHeight,
    );
    expect(atEnd).toBeLessThan(2);
    house().expectPeace();
  },
);
