/** The daemon, with an error of the kernel itself: SIGUSR2 throws outside any plugin's context. */
import { main } from "../../cli/src/main.ts";

process.on("SIGUSR2", () => {
  throw new Error("A fault of the kernel");
});
await main(process.argv.slice(2));
