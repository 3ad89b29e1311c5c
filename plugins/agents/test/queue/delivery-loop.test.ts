import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, standIn, type Clis } from "../help/agents-kernel.ts";
import { until } from "../help/wait.ts";

// A message that was accepted is seen by the CLI exactly once, whenever the agent is closed behind it.

let home: string;
let clis: Clis;
let agents: AgentsKernel;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-delivery-"));
  clis = {
    pi: standIn("fake-pi", { FAKE_PI_HOME: join(home, "pi") }),
    claude: standIn("fake-claude", { HOME: home }),
    codex: standIn("fake-codex", { CODEX_HOME: join(home, "codex") }),
  };
  agents = await AgentsKernel.start({ home, clis });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** How often a CLI remembers some words, by what it recalls. */
async function countSeen(id: string, words: string): Promise<number> {
  const { body } = await agents.ask(id, "[[recall]]");
  return body.answer.split(words).length - 1;
}

/** Times between the acceptance of a message and what interrupts it. */
const DELAYS_MS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30];

for (const cli of ["practice", "pi", "claude", "codex"])
  describe(cli, { tags: "thorough" }, () => {
    test("sees a message once that was accepted right before the agent was closed", async () => {
      const { id } = await agents.create({ cli });
      await agents.ask(id, "[[reply:ready]]");
      for (const [round, delay] of DELAYS_MS.entries()) {
        const words = `message-${round}-of-${cli}`;
        await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
        await agents.prompt(id, `${words} [[long:40:5]]`);
        await pause(delay);
        await agents.close(id);
        const [closed] = await agents.tasks(id);
        expect(["queued", "delivered"]).toContain(closed?.status);
        await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
        const [task] = await until(async () => {
          const tasks = await agents.tasks(id);
          return tasks[0]?.status === "delivered" && tasks;
        }, "the message is delivered");
        await agents.untilIdle(id);
        expect([delay, task?.status, await countSeen(id, words)]).toEqual([
          delay,
          "delivered",
          1,
        ]);
        const said = (await agents.entries(id)).filter(
          ({ role, text }) => role === "user" && text.startsWith(words),
        );
        expect(said).toHaveLength(1);
      }
    });
  });

test(
  "a daemon that stops right behind a message loses none and doubles none",
  { tags: "thorough" },
  async () => {
    const { id } = await agents.create({ cli: "practice" });
    await agents.ask(id, "[[reply:ready]]");
    for (const [round, delay] of DELAYS_MS.entries()) {
      const words = `message-${round}-before-the-stop`;
      await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
      await agents.prompt(id, `${words} [[long:40:5]]`);
      await pause(delay);
      await agents.kernel.restart();
      await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
      await until(
        async () => (await agents.tasks(id))[0]?.status === "delivered",
        "the message is delivered",
      );
      await agents.untilIdle(id);
      expect([delay, await countSeen(id, words)]).toEqual([delay, 1]);
    }
  },
);
