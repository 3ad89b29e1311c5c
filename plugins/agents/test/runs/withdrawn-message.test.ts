import { afterEach, expect, test, vi } from "vitest";
import { PromptContext } from "../../src/conversation/prompt-context.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";

// A run ends while its message is being delivered: claimed from the queue, but not yet sent to the CLI.

afterEach(() => void vi.restoreAllMocks());

test.each(["the agent is closed", "the run is stopped"])(
  "when %s, it is neither sent nor left in the queue",
  async (what) => {
    const cli = new ScriptedCli({ isReadable: true });
    const runner = new Runner();
    await using agents = await AgentsKernel.start({
      clis: cli.clis,
      beside: [cli.plugin(), runner.plugin],
      limits: { abortMs: 100 },
    });
    const { id } = await agents.create({ cli: "scripted" });
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    let goOn!: (context: string) => void;
    const before = vi
      .spyOn(PromptContext.prototype, "before")
      .mockReturnValueOnce(new Promise((resolve) => (goOn = resolve)));
    const aborted = new AbortController();
    const more = { freshSession: false };
    const outcome = runner.run(id, "hello", more, aborted.signal);
    await until(() => before.mock.calls.length > 0, "it is on its way");

    if (what === "the run is stopped") aborted.abort();
    else await agents.close(id);
    // By then the run has tried to cancel its message.
    await agents.get(id);
    goOn("");
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    const [task] = await until(async () => {
      const tasks = await agents.tasks(id);
      return tasks[0]?.status !== "delivering" && tasks;
    }, "it is decided");
    expect(task?.status).toBe("cancelled");
    expect(cli.hasPrompt).toBe(false);

    cli.isWilling = true;
    await agents.ask(id, "after");
    expect(cli.seen).toEqual(["after"]);
  },
);
