import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeOpencodeHome,
} from "@gantry/model-server";
import { describe, test } from "vitest";
import { BUILT_IN_CLIS } from "../../src/clis/built-in-clis.ts";
import { toConfiguredDriver } from "../../src/clis/configured-driver.ts";
import { createAcpDriver } from "../../src/drivers/acp/acp-driver.ts";
import { testCopies } from "../drivers/copies-suite.ts";
import type { DriverBench } from "../help/driver-bench.ts";
import { testRealCli } from "./real-suite.ts";

const installed = await installCli("opencode");
const config = BUILT_IN_CLIS["opencode"];

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
  const prepare = async ({ host, folder }: DriverBench) => {
    const driver = toConfiguredDriver(createAcpDriver(host), config);
    const env = await writeOpencodeHome(join(folder, "user"), models.url);
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
    prepare,
    spend: (usd) => `[[usage:0:${Math.round((usd * 1e6) / 15)}]]`,
    listed: "init",
    forks: false,
    clones: true,
    // It has no such command on this wire.
    compacts: false,
  });
}
