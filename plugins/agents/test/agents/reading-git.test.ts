import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installCli,
  installPi,
  PI_VERSIONS,
  startModelServer,
  writeClaudeHome,
  writeGeminiHome,
  writeOpencodeHome,
  writePiHome,
  type ModelServer,
} from "@gantry/model-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KNOWN_CLIS } from "../help/known-clis.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { createHostileRepository } from "@gantry/agent-folder/testing";
import { Runner } from "../help/runner.ts";

/** Sets a CLI up for its user in a folder; `undefined` if it is not installed. */
type Configure = (
  home: string,
  url: string,
) => Promise<Clis[string] | undefined>;

const claude: Configure = async (home, url) => {
  const installed = await installCli("claude");
  return (
    installed && {
      driver: "claude",
      command: installed.program,
      env: await writeClaudeHome(home, url),
    }
  );
};
const opencode: Configure = async (home, url) => {
  const installed = await installCli("opencode");
  const config = KNOWN_CLIS["opencode"];
  return (
    installed &&
    config && {
      ...config,
      command: installed.program,
      env: { ...config.env, ...(await writeOpencodeHome(home, url)) },
    }
  );
};
const gemini: Configure = async (home, url) => {
  const installed = await installCli("gemini");
  const config = KNOWN_CLIS["gemini"];
  return (
    installed &&
    config && {
      ...config,
      command: process.execPath,
      args: [installed.program, ...config.args],
      version: [installed.program, "--version"],
      env: await writeGeminiHome(home, url),
    }
  );
};
const pi =
  (version: string): Configure =>
  async (home, url) => {
    const installed = await installPi(version);
    if (!installed) return undefined;
    await writePiHome(home, url, version);
    return {
      driver: "pi",
      command: process.execPath,
      args: [installed.program],
      env: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    };
  };

const SUBJECTS: readonly (readonly [name: string, configure: Configure])[] = [
  ...PI_VERSIONS.map((version) => [`pi ${version}`, pi(version)] as const),
  ["claude", claude],
  ["opencode", opencode],
  ["gemini", gemini],
];

describe.each(SUBJECTS)(
  "the real %s in a run that only reports",
  (name, configure) => {
    const runner = new Runner();
    let models: ModelServer;
    let agents: AgentsKernel | undefined;
    let home: string;

    beforeAll(async () => {
      models = await startModelServer();
      home = await realpath(await mkdtemp(join(tmpdir(), "gantry-reading-")));
      const cli = await configure(join(home, "user"), models.url);
      if (cli)
        agents = await AgentsKernel.start({
          clis: { subject: cli } as Clis,
          beside: [runner.plugin],
        });
    });
    afterAll(async () => {
      await agents?.kernel.stop();
      await models.close();
      await rm(home, { recursive: true, force: true });
    });

    test("reads a repository with its own calls of git, and runs nothing of it", async (context) => {
      if (!agents) return context.skip();
      const agentId = await runner.createAgent("subject");
      const { cwd } = await agents.get(agentId);
      const { canary } = await createHostileRepository(cwd);
      await rm(canary, { force: true });
      const outcome = await runner.run(
        agentId,
        "[[tool:bash:command -v git; git diff]][[tool:bash:git log -p -1]][[tool:bash:git blame a.txt && git status --short]][[reply:my report]]",
        { permissions: { mode: "report-only", tools: [] }, timeoutMs: 60_000 },
      );
      const results = models.requests.map(({ toolResult }) =>
        JSON.stringify(toolResult ?? ""),
      );
      const ran = existsSync(canary) ? await readFile(canary, "utf8") : "";
      expect(ran).toBe("");
      expect(outcome).toMatchObject({ failure: null, message: "my report" });
      // It names its shell otherwise, so that the policy refuses what it asks for.
      if (name === "gemini") return;
      expect(results.join()).toContain("reading/bin/git");
      expect(results.join()).toContain("+two");
    });
  },
);
