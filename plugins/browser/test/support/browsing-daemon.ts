import { createRealClock } from "./real-clock.ts";
import { REAL, startBrowsing } from "./start-browsing.ts";

// A daemon in a process of its own, which a test kills while its browser runs.
const [home, url] = process.argv.slice(2);
const bench = await startBrowsing(REAL, { clock: createRealClock(), home });
const { status } = await bench.post(url!);
console.log(status);
