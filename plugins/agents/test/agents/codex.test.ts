import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeCodexHome,
} from "@gantry/model-server";
import { describe, test } from "vitest";
import codex from "@gantry/plugin-codex";
import { testCopies, testScreens } from "@gantry/agent-kit/conformance";
import { type DriverBench } from "@gantry/agent-kit/testing";
import { testRealCli } from "./real-suite.ts";

const installed = await installCli("codex");

if (!installed) {
  describe("the real Codex", () => {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
  });
} else {
  const { program, version } = installed;

  testRealCli({
    name: "Codex",
    version,
    driver: "codex",
    configure: async (home, models) => ({
      driver: "codex",
      command: process.execPath,
      args: [program],
      env: await writeCodexHome(home, models.url),
    }),
    resumes: true,
    steers: true,
    asks: true,
    price: null,
    tokens: true,
    otherModel: "gpt-5.4",
    extraPrompt: true,
    readOnly: () => true,
  });

  const models = await startModelServer();
  const prepare = async (bench: DriverBench) => ({
    driver: bench.driverOf("codex"),
    command: {
      args: [program],
      env: await writeCodexHome(join(bench.folder, "user"), models.url),
      version,
    },
  });
  testCopies({
    name: "the real Codex",
    plugins: [codex],
    prepare,
    listed: null,
    forks: true,
    clones: true,
    compacts: true,
    knownWhenShrunk: /produced a summary of its thinking/,
  });

  let home = "";
  testScreens({
    name: "the real Codex",
    plugins: [codex],
    prepare: async (bench) => {
      home = join(bench.folder, "user");
      return await prepare(bench);
    },
    models,
    ready: "model:",
    knowsFresh: false,
    // It has a newer model to offer than the one that is set.
    async settle(screen) {
      await screen.shows("Use existing model");
      const keys = ["\x1b[B", "\r"];
      const press = setInterval(() => {
        const key = keys.shift() ?? "";
        keys.push(key);
        screen.type(key);
      }, 400);
      await screen
        .shows("the first answer")
        .finally(() => clearInterval(press));
    },
    // Its screen asks whether a folder is trusted; the user has said so before.
    prepareFolder: async (cwd) =>
      await appendFile(
        join(home, "config.toml"),
        `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`,
      ),
  });
}
