import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";

test(
  "a message that waits in a restored snapshot is not sent again if it was sent or cancelled since",
  { tags: ["thorough"] },
  async () => {
    const agents = await AgentsKernel.start();
    try {
      const { id } = await agents.create({ cli: "practice" });
      await agents.prompt(id, "first [[long:40:20]]");
      await agents.untilWorking(id);
      const sent = await agents.prompt(id, "second", "follow_up");
      const dropped = await agents.prompt(id, "third", "follow_up");
      const engine = () => agents.kernel.kernel.foundation.core.engine;
      const records = async () =>
        (await engine().keys("agents:")).filter((key) => !key.includes("@"));
      const keys = await records();
      const values = await engine().getMany(keys);
      await agents.kernel.api.delete(
        `/api/agents/${id}/tasks/${dropped.taskId}`,
      );
      const stateOf = async (taskId: string) =>
        (await agents.tasks(id)).find((task) => task.id === taskId);
      await expect
        .poll(async () => (await stateOf(sent.taskId))?.status)
        .toBe("delivered");
      await agents.untilIdle(id);
      await agents.close(id);

      const gone = (await records()).filter((key) => !keys.includes(key));
      await engine().commit([
        ...keys.map((key, at) => ({
          ...{ type: "set" as const, key },
          value: values[at]!,
        })),
        ...gone.map((key) => ({ type: "remove" as const, key })),
      ]);
      await agents.kernel.restart();
      for (const { taskId } of [sent, dropped])
        expect(await stateOf(taskId)).toMatchObject({
          status: "cancelled",
          reason: expect.stringContaining("Send it again") as string,
        });
      await agents.ask(id, "[[reply:ready]]");
      const prompts = (await agents.entries(id)).filter(
        ({ role, text }) => role === "user" && /second|third/.test(text ?? ""),
      );
      expect(prompts).toHaveLength(1);
    } finally {
      await agents.kernel.stop();
    }
  },
);
