import { expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";
import type { AgentsKernel } from "../help/agents-kernel.ts";

/** What every driver must survive: a CLI that hangs, floods, stammers or does not listen. */
export function testRoughDriver(
  kernel: () => AgentsKernel,
  {
    cli,
    rough,
    reportsLate = false,
    reportsNothing = false,
  }: {
    cli: string;
    rough: string;
    reportsLate?: boolean;
    reportsNothing?: boolean;
  },
): void {
  const create = () => kernel().create({ cli });
  const createRough = () => kernel().create({ cli: rough });

  test("a crash ends the turn with what is known, once", async () => {
    const { id } = await create();
    const asked = kernel().ask(id, "[[cost:0.1]][[reply:half a]][[crash]]");
    expect(await asked).toMatchObject({ status: 502 });
    const agent = await kernel().untilAgent(
      id,
      ({ state }) => state === "closed",
      "the agent is closed",
    );
    expect(agent).toMatchObject({
      mode: null,
      activity: "idle",
      dialog: null,
    });
    if (reportsLate || reportsNothing) expect(agent.usage.costUsd).toBeNull();
    else expect(agent.usage.costUsd).toBeCloseTo(0.1, 9);
    const finished = kernel()
      .kernel.events.all(TurnFinished)
      .filter(({ subject: of }) => of === id);
    expect(finished.map(({ data }) => data.stopReason)).toEqual(["error"]);
    const entries = await kernel().entries(id);
    expect(entries.find(({ kind }) => kind === "error")?.text).toContain(
      "SIGKILL",
    );
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: "text",
        role: "assistant",
        text: "half a",
      }),
    );
  });

  test("one that hangs is ended by an abort", async () => {
    const { id } = await createRough();
    const asked = kernel().ask(id, "[[reply:thinking]][[deaf]][[hang]]");
    await kernel().untilWorking(id);
    expect(
      (await kernel().kernel.api.post(`/api/agents/${id}/abort`)).body,
    ).toEqual({ aborted: true });
    expect([200, 502]).toContain((await asked).status);
    expect((await kernel().ask(id, "[[reply:back]]")).body.answer).toBe("back");
  });

  test("garbage on its output is passed over", async () => {
    const { id } = await createRough();
    expect(
      (await kernel().ask(id, "[[garbage]][[reply:clean]]")).body.answer,
    ).toBe("clean");
  });

  test(
    "a line of 100 MB costs neither memory nor the turn",
    { tags: ["thorough"] },
    async () => {
      const { id } = await createRough();
      await kernel().ask(id, "[[flood:30]][[reply:warm]]");
      const before = process.memoryUsage().rss;
      let peak = before;
      const watch = setInterval(
        () => (peak = Math.max(peak, process.memoryUsage().rss)),
        10,
      );
      const { body } = await kernel().ask(
        id,
        "[[flood:100]][[reply:survived]]",
      );
      clearInterval(watch);
      expect(body.answer).toBe("survived");
      expect((peak - before) / 1024 / 1024).toBeLessThan(64);
    },
  );

  test("a request that is too long to read is refused, and the turn continues", async () => {
    const { id } = await createRough();
    const { status, body } = await kernel().ask(
      id,
      "[[huge-ask]][[reply:continued]]",
    );
    expect(status).toBe(200);
    expect(body.answer).toMatch(/continued$/);
    expect(body.answer).not.toContain("I may.");
    const entries = await kernel().entries(id);
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        text: expect.stringMatching(/request.*too long.*refused/) as string,
      }),
    );
    expect((await kernel().get(id)).dialog).toBeNull();
  });

  test("one that closes its input is ended and said so", async () => {
    const { id } = await createRough();
    // Some wires notice it before the turn can end, some at the next prompt.
    const first = await kernel().ask(id, "[[close-stdin]][[reply:ok]]");
    const second =
      first.status === 200 ? await kernel().ask(id, "[[reply:never]]") : first;
    expect(second.status).toBe(502);
    await kernel().untilAgent(
      id,
      ({ state }) => state === "closed",
      "the agent is closed",
    );
    expect((await kernel().ask(id, "[[reply:again]]")).body.answer).toBe(
      "again",
    );
  });

  test("one that closes its output is ended", async () => {
    const { id } = await createRough();
    expect(
      (await kernel().ask(id, "[[reply:ok]][[close-stdout]]")).status,
    ).toBe(502);
    await kernel().untilAgent(
      id,
      ({ state }) => state === "closed",
      "the agent is closed",
    );
  });
}
