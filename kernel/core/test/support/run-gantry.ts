// The command line from its sources, as a process of its own.
import { main } from "../../../cli/src/main.ts";

await main(process.argv.slice(2));
