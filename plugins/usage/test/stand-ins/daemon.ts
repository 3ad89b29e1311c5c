// A whole daemon in a process of its own, to be killed. Prints its address and the cookie of a client.
import { UsageKernel } from "../help/usage-kernel.ts";

const [home = ""] = process.argv.slice(2);
const { kernel } = await UsageKernel.start({ home });
const { cookie } = await kernel.pairAs("killer");
console.log(JSON.stringify({ url: kernel.url, cookie }));
