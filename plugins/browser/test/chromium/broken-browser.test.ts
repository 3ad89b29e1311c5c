import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { MAX_ANSWER_MS } from "../../src/protocol/send-in-time.ts";
import { processesWith } from "../support/processes.ts";
import {
  FAKE,
  startBrowsing,
  writeProgram,
} from "../support/start-browsing.ts";

const BROKEN = join(import.meta.dirname, "../support/broken-chromium.mjs");
const SITE = "https://shop.example/";

/** Faults in the middle of a call, each with the error that the caller gets. */
const FAULTS: [string, string][] = [
  ["closes-pipe@Browser.getVersion", "BROWSER_FAILED"],
  ["closes-pipe@Target.createTarget", "BROWSER_GONE"],
  ["sends-garbage@Target.createTarget", "BROWSER_GONE"],
  ["sends-half@Target.createTarget", "BROWSER_GONE"],
  ["sends-no-object@Browser.getVersion", "BROWSER_FAILED"],
  ["sends-no-object@Target.createTarget", "BROWSER_GONE"],
  ["sends-200-mb@Target.createTarget", "BROWSER_GONE"],
  ["answers-others@Browser.getVersion", "BROWSER_FAILED"],
  ["answers-others@Target.createTarget", "BROWSER_FAILED"],
];

/** A browser that breaks at its first start, and works from then on. */
const breakOnce = (fault: string) =>
  writeProgram(`
if [ -e "$0.broke" ]; then exec ${FAKE.command} "$@"; fi
touch "$0.broke"
exec ${BROKEN} ${fault} "$@"`);

test.each(cases(FAULTS))(
  "a browser that %s is %s for the caller, and a new one starts for the next",
  async (fault, code) => {
    await using bench = await startBrowsing({
      ...{ command: await breakOnce(fault), sandbox: "off" },
    });
    bench.expectFault(/Browser event failed/);
    expect((await bench.post(SITE)).body).toMatchObject({ code });
    // A browser that only refuses a call keeps running.
    for (const { pid } of await processesWith(bench.home))
      if (fault.startsWith("answers-others@T")) process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await bench.post(SITE)).status).toBe(200);
    expect(await processesWith(bench.home)).toHaveLength(1);
  },
);

test("a browser that does not respond any more is ended, and a new one starts", async () => {
  await using bench = await startBrowsing(FAKE);
  await bench.post(SITE);
  const [stopped] = await processesWith(bench.home);
  process.kill(stopped!.pid, "SIGSTOP");
  const answer = bench.post(SITE);
  const tabs = bench.tabs();
  await expect
    .poll(async () => {
      await bench.clock.advance(MAX_ANSWER_MS);
      return processesWith(bench.home);
    })
    .toEqual([]);
  expect(await answer).toMatchObject({
    ...{ status: 504, body: { code: "BROWSER_UNRESPONSIVE" } },
  });
  expect(await tabs).toHaveLength(1);
  expect((await bench.post(SITE)).status).toBe(200);
  expect(await bench.tabs()).toHaveLength(1);
});
