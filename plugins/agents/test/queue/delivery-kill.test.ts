import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases, thoroughUnless } from "@gantry/build/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentView } from "../../src/records/agent-record.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import { standIn, type Clis, type TaskView } from "../help/agents-kernel.ts";
import { startDoomedDaemon, type DoomedDaemon } from "../help/doomed-daemon.ts";
import { until } from "../help/wait.ts";

// What was accepted outlives a kill of the daemon, and no CLI has it twice.

let home: string;
let clis: Clis;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-kill-"));
  clis = {
    pi: standIn("fake-pi", { FAKE_PI_HOME: join(home, "pi") }),
    claude: standIn("fake-claude", { HOME: home }),
    codex: standIn("fake-codex", { CODEX_HOME: join(home, "codex") }),
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

const DELAYS_MS = cases([8, 0, 40]);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks and waits until nothing waits any more. */
async function recall(daemon: DoomedDaemon, id: string): Promise<string> {
  await daemon.call("POST", `/api/agents/${id}/managed/start`);
  const { body } = await until(async () => {
    const answer = await daemon.call<{ answer?: string }>(
      "POST",
      `/api/agents/${id}/ask`,
      { text: "[[recall]]" },
    );
    return answer.status === 200 && answer;
  }, "it recalls");
  return body.answer ?? "";
}

for (const cli of ["practice", "pi", "claude", "codex"])
  test(
    `${cli} has a message once that was accepted right before the daemon was killed`,
    { tags: thoroughUnless(cli === "practice") },
    async () => {
      let daemon = await startDoomedDaemon(home, clis);
      const { id } = (
        await daemon.call<AgentView>("POST", "/api/agents", { name: "D", cli })
      ).body;
      await recall(daemon, id);
      for (const [round, delay] of DELAYS_MS.entries()) {
        const words = `message-${round}-of-${cli}`;
        const message = `${words} [[long:40:5]]`;
        await daemon.call("POST", `/api/agents/${id}/prompt`, { message });
        await pause(delay);
        await daemon.kill();
        daemon = await startDoomedDaemon(home, clis);
        const answer = await recall(daemon, id);
        const { items: tasks } = (
          await daemon.call<{ items: TaskView[] }>(
            "GET",
            `/api/agents/${id}/tasks?limit=200`,
          )
        ).body;
        const task = tasks.find(({ payload }) =>
          payload.message.startsWith(words),
        );
        expect([delay, task?.status, answer.split(words).length - 1]).toEqual([
          delay,
          "delivered",
          1,
        ]);
        const { items: entries } = (
          await daemon.call<{ items: Entry[] }>(
            "GET",
            `/api/agents/${id}/messages?limit=500`,
          )
        ).body;
        const said = entries.filter(
          ({ role, text }) => role === "user" && text.startsWith(words),
        );
        expect(said).toHaveLength(1);
      }
      await daemon.kill();
    },
  );
