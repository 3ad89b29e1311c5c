import { createRealClock } from "./real-clock.ts";
import { openPage } from "./open-page.ts";
import { startPool } from "./start-pool.ts";

// A daemon in a process of its own, which a test kills while its browser runs.
const { kernel, pool } = await startPool({
  clock: createRealClock(),
  home: process.argv[2],
});
const browser = await pool.open({ kind: "user" });
await openPage(browser, "http://one.test/");
console.log(JSON.stringify({ home: kernel.home, pid: browser.pid }));
