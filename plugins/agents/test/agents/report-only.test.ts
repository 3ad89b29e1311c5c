import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  installCli,
  startModelServer,
  writeClaudeHome,
  writeCodexHome,
  type CliName,
  type ModelServer,
} from "@gantry/model-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";

/** CLIs that a run can keep to reading beside pi, and how their users are set up. */
const CLIS = [
  { cli: "claude", writeHome: writeClaudeHome, refused: 1 },
  // Its own sandbox refuses, without asking.
  { cli: "codex", writeHome: writeCodexHome, refused: 0 },
] as const satisfies readonly {
  cli: CliName;
  writeHome: (home: string, url: string) => Promise<Record<string, string>>;
  refused: number;
}[];

const programs = await Promise.all(
  CLIS.map(async (one) => ({ ...one, installed: await installCli(one.cli) })),
);

describe.each(programs)(
  "the real $cli",
  ({ cli, writeHome, refused, installed }) => {
    if (!installed) {
      test.skip("is not installed and the registry is out of reach", () =>
        undefined);
      return;
    }

    const runner = new Runner();
    let models: ModelServer;
    let agents: AgentsKernel;
    let home: string;

    beforeAll(async () => {
      models = await startModelServer();
      home = await realpath(await mkdtemp(join(tmpdir(), "gantry-report-")));
      const user = join(home, "user");
      const env = await writeHome(user, models.url);
      if (cli === "claude") await allowAll(user);
      const clis: Clis = {
        [cli]: { driver: cli, command: installed.program, env },
      };
      agents = await AgentsKernel.start({ clis, beside: [runner.plugin] });
    });
    afterAll(async () => {
      await agents.kernel.stop();
      await models.close();
      await rm(home, { recursive: true, force: true });
    });

    test("reads and changes nothing in a run that only reports", async () => {
      const agentId = await runner.createAgent(cli);
      const { cwd } = await agents.get(agentId);
      const outcome = await runner.run(
        agentId,
        "[[tool:bash:head -1 /etc/passwd]][[tool:bash:touch written.txt]][[reply:my report]]",
        { permissions: { mode: "report-only", tools: [] }, timeoutMs: 60_000 },
      );
      expect(outcome).toMatchObject({ failure: null, message: "my report" });
      expect(outcome.permissionsAsked).toHaveLength(refused);
      expect(await readdir(cwd)).toEqual([]);
      const results = models.requests.map(({ toolResult }) =>
        JSON.stringify(toolResult),
      );
      expect(results.join()).toContain("root:");
    });
  },
);

/** A user who lets Claude Code do everything without asking. */
async function allowAll(home: string): Promise<void> {
  const file = join(home, ".claude", "settings.json");
  const settings = await readFile(file, "utf8").then(
    (text) => JSON.parse(text) as object,
    () => ({}),
  );
  await mkdir(dirname(file), { recursive: true });
  const permissions = { allow: ["Bash", "Bash(touch:*)", "Edit", "Write"] };
  await writeFile(file, JSON.stringify({ ...settings, permissions }));
}
