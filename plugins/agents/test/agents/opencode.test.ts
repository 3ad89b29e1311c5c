import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeOpencodeHome,
} from "@gantry/model-server";
import { describe, test } from "vitest";
import { KNOWN_CLIS } from "../help/known-clis.ts";
import acp from "@gantry/plugin-acp";
import { testCopies } from "@gantry/agent-kit/conformance";
import { type DriverBench } from "@gantry/agent-kit/testing";
import { testRealCli } from "./real-suite.ts";

const installed = await installCli("opencode");
const config = KNOWN_CLIS["opencode"];

if (!installed || !config) {
  describe("the real opencode", () => {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
  });
} else {
  const { program, version } = installed;

  testRealCli({
    name: "opencode",
    version,
    driver: "opencode",
    configure: async (home, models) => ({
      ...config,
      command: program,
      env: { ...config.env, ...(await writeOpencodeHome(home, models.url)) },
    }),
    resumes: true,
    steers: false,
    asks: true,
    price: 0.006,
    tokens: false,
    extraPrompt: false,
  });

  const models = await startModelServer();
  const prepare = async (bench: DriverBench) => {
    const driver = bench.driverOf("opencode");
    const env = await writeOpencodeHome(join(bench.folder, "user"), models.url);
    return {
      driver,
      command: {
        file: program,
        args: config.args,
        env: { ...config.env, ...env },
        version,
      },
    };
  };
  testCopies({
    name: "the real opencode",
    plugins: [acp],
    prepare,
    spend: (usd) => `[[usage:0:${Math.round((usd * 1e6) / 15)}]]`,
    listed: "init",
    forks: false,
    clones: true,
    // It has no such command on this wire.
    compacts: false,
  });
}
