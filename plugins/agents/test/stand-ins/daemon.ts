// A whole daemon in a process of its own, to be killed. Prints where it is and how to call it.
import { startTestKernel } from "@gantry/plugin-testing";
import agents from "../../src/index.ts";
import { DRIVER_PLUGINS } from "../help/driver-plugins.ts";
import { createRealClock } from "@gantry/agent-kit/testing";

const [home = "", clis = "{}"] = process.argv.slice(2);
const kernel = await startTestKernel([agents, ...DRIVER_PLUGINS], {
  home,
  clock: createRealClock(),
  settings: { agents: { clis: JSON.parse(clis) as object } },
});
const { cookie } = await kernel.pairAs("killer");
console.log(JSON.stringify({ url: kernel.url, cookie }));
