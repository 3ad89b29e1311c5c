import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeClaudeHome,
} from "@gantry/model-server";
import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";

const installed = await installCli("claude");
const PERMISSIONS = { mode: "allow-once", tools: ["bash"] } as const;

// Each answer of the model writes 40,000 tokens at 25 USD a million: 1 USD.
const SCRIPT =
  "[[usage:0:40000]][[tool:bash:touch one]][[tool:bash:touch two]][[tool:bash:touch three]][[reply:done]]";

test.skipIf(!installed)(
  "the real Claude Code is stopped within its turn when its cost passes the cap of a run",
  async () => {
    const home = await realpath(await mkdtemp(join(tmpdir(), "gantry-usd-")));
    const models = await startModelServer();
    const runner = new Runner();
    const env = await writeClaudeHome(join(home, "user"), models.url);
    const { program: command } = installed!;
    const agents = await AgentsKernel.start({
      clis: { claude: { driver: "claude", command, env } },
      beside: [runner.plugin],
    });
    try {
      const runOf = async (freshSession: boolean, maxCostUsd: number) => {
        const options = { freshSession, maxCostUsd, permissions: PERMISSIONS };
        return await runner.run(id, SCRIPT, { ...options, timeoutMs: 60_000 });
      };
      const id = await runner.createAgent("claude");
      const { cwd } = await agents.get(id);
      const stopped = await runOf(true, 1.5);
      expect(stopped).toMatchObject({ failure: "cost-cap" });
      expect(stopped.usage.costUsd).toBeGreaterThanOrEqual(1.5);
      expect(stopped.usage.costUsd).toBeLessThan(3);
      expect(await readdir(cwd)).not.toContain("three");
      // What the conversation has cost before is not held against it.
      expect(await runOf(false, 10)).toMatchObject({
        failure: null,
        message: "done",
      });
    } finally {
      await agents.kernel.stop();
      await models.close();
      await rm(home, { recursive: true, force: true });
    }
  },
);
