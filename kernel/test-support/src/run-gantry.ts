// The command line, run from its sources in a process of its own.
import { main } from "../../cli/src/main.ts";

await main(process.argv.slice(2));
