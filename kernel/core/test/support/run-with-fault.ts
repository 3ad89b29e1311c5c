/** The daemon, with a fault of the kernel's own: SIGUSR2 throws outside of any plugin's context. */
import { main } from "../../../cli/src/main.ts";

process.on("SIGUSR2", () => {
  throw new Error("A fault of the kernel");
});
await main(process.argv.slice(2));
