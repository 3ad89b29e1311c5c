// `serve --home <folder>` on a clock that moves on by a minute at each SIGUSR2, with answers checked against their schemas.
import { deliveredPlugins } from "../../../cli/src/commands/delivered-plugins.ts";
import { loadConfig } from "../../src/config/config.ts";
import { containFaults } from "../../../cli/src/contain-faults.ts";
import { startKernel } from "../../src/kernel.ts";
import { createFakeClock } from "../../../testing/src/fake-clock.ts";
import { inspectAnswers } from "../../../testing/src/inspect-answers.ts";

const [, , home = ""] = process.argv.slice(2);
const clock = createFakeClock(Date.now());
const kernel = await startKernel({
  config: await loadConfig({ home, port: "0", log: "debug" }, {}),
  clock,
  sink: (line) => process.stderr.write(`${line}\n`),
  version: "0.0.0-test",
  builtinPlugins: deliveredPlugins(),
  rehearse: () => Promise.reject(new Error("Not here.")),
  inspect: inspectAnswers({ home, fault: (text) => console.error(text) }),
  beforePlugins: containFaults,
});
process.on("SIGUSR2", () => void clock.advance(60_000));
process.on("SIGTERM", () => void kernel.stop().then(() => process.exit(0)));
console.log(
  JSON.stringify({
    ready: true,
    url: kernel.url,
    pid: process.pid,
    port: kernel.port,
  }),
);
