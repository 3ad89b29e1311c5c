import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeClaudeHome,
} from "@gantry/model-server";
import { describe, test } from "vitest";
import claude from "@gantry/plugin-claude";
import { testCopies, testScreens } from "@gantry/agent-kit/conformance";
import { type DriverBench } from "@gantry/agent-kit/testing";
import { testRealCli } from "./real-suite.ts";

/** USD for a million tokens of the model that Claude Code takes unless told otherwise. */
const PRICE = { input: 5, output: 25 };

const installed = await installCli("claude");

if (!installed) {
  describe("the real Claude Code", () => {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
  });
} else {
  const { program, version } = installed;

  testRealCli({
    name: "Claude Code",
    version,
    driver: "claude",
    configure: async (home, models) => ({
      driver: "claude",
      command: program,
      env: await writeClaudeHome(home, models.url),
    }),
    resumes: true,
    records: ".claude/projects",
    steers: true,
    asks: true,
    price: (1000 * PRICE.input + 200 * PRICE.output) / 1e6,
    tokens: true,
    otherModel: "claude-sonnet-4-5",
    extraPrompt: true,
    readOnly: (tools) =>
      tools.includes("Read") &&
      !tools.some((tool) =>
        ["Bash", "Edit", "Write", "NotebookEdit", "Agent"].includes(tool),
      ),
    async plant(cwd, mark) {
      await mkdir(join(cwd, ".claude"), { recursive: true });
      const hook = { type: "command", command: `touch ${mark}` };
      const hooks = { UserPromptSubmit: [{ hooks: [hook] }] };
      await writeFile(
        join(cwd, ".claude", "settings.json"),
        JSON.stringify({ hooks }),
      );
    },
  });

  const models = await startModelServer();
  const prepare = async (bench: DriverBench) => ({
    driver: bench.driverOf("claude"),
    command: {
      file: program,
      env: await writeClaudeHome(join(bench.folder, "user"), models.url),
      version,
    },
  });
  testCopies({
    name: "the real Claude Code",
    plugins: [claude],
    prepare,
    spend: (usd) => `[[usage:0:${Math.round((usd * 1e6) / PRICE.output)}]]`,
    listed: "compact",
    forks: true,
    clones: true,
    compacts: true,
  });

  let home = "";
  testScreens({
    name: "the real Claude Code",
    plugins: [claude],
    prepare: async (bench) => {
      home = join(bench.folder, "user");
      return await prepare(bench);
    },
    models,
    ready: "for shortcuts",
    knowsFresh: true,
    // Its screen asks whether a folder is trusted; the user has said so before.
    prepareFolder: async (cwd) =>
      void (await writeClaudeHome(home, models.url, [cwd])),
  });
}
