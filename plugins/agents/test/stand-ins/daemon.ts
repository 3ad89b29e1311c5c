// A whole daemon in a process of its own, to be killed. Prints where it is and how to call it.
import { flushCompileCache } from "node:module";
import { startTestKernel } from "@gantry/plugin-testing";
import agents from "../../src/index.ts";
import { createRealClock } from "../help/real-clock.ts";

const [home = "", clis = "{}"] = process.argv.slice(2);
const kernel = await startTestKernel([agents], {
  home,
  clock: createRealClock(),
  settings: { agents: { clis: JSON.parse(clis) as object } },
});
// Node writes its compile cache when a process exits, which this one never does.
flushCompileCache();
const { cookie } = await kernel.pairAs("killer");
console.log(JSON.stringify({ url: kernel.url, cookie }));
