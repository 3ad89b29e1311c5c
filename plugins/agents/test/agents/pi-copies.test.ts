import { join } from "node:path";
import {
  installPi,
  PI_VERSIONS,
  startModelServer,
  writePiHome,
} from "@gantry/model-server";
import { describe, test } from "vitest";
import pi from "@gantry/plugin-pi";
import { testCopies, testScreens } from "@gantry/agent-kit/conformance";
import { type DriverBench } from "@gantry/agent-kit/testing";

for (const version of PI_VERSIONS) {
  const program = (await installPi(version))?.program;
  if (!program) {
    describe(`the real pi ${version}: copies`, () => {
      test.skip("is not installed and the registry is out of reach", () =>
        undefined);
    });
    continue;
  }
  const models = await startModelServer();
  const prepare = async (bench: DriverBench) => {
    const home = join(bench.folder, "pi");
    await writePiHome(home, models.url, version);
    return {
      driver: bench.driverOf("pi"),
      command: {
        args: [program],
        env: {
          PI_CODING_AGENT_DIR: home,
          PI_OFFLINE: "1",
          PI_TELEMETRY: "0",
        },
        version,
      },
    };
  };
  testCopies({
    name: `the real pi ${version}`,
    plugins: [pi],
    prepare,
    // At 15 USD for a million tokens.
    spend: (usd) => `[[usage:0:${Math.round((usd * 1e6) / 15)}]]`,
    listed: null,
    forks: true,
    clones: true,
    compacts: true,
    // pi keeps the last 20,000 tokens.
    ballast: "ballast ".repeat(12_000),
  });
  testScreens({
    name: `the real pi ${version}`,
    plugins: [pi],
    prepare,
    models,
    ready: "model-1",
    knowsFresh: true,
  });
}
