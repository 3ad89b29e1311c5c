import { AgentDeleted } from "@gantry/plugin-agents/contract";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { IDLE_MS } from "../../src/chromium/pooled-browser.ts";
import { TabsChanged } from "../../src/contract.ts";
import { processesWith } from "../support/processes.ts";
import { addAgents, FAKE, startBrowsing } from "../support/start-browsing.ts";

const SITE = "https://shop.example/";

test("nothing runs before a tab is opened, and concurrent tabs share one browser", async () => {
  await using bench = await startBrowsing(FAKE);
  expect(await bench.status()).toMatchObject({
    ...{ found: true, command: FAKE.command, version: null, sandbox: "off" },
    ...{ running: [], hint: null, problem: null },
  });
  const answers = await Promise.all([bench.post(SITE), bench.post(SITE)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await bench.status()).toMatchObject({
    version: "1.2.3.4",
    running: [
      {
        ...{ profileId: "user", tabs: 2, since: bench.clock.timestamp() },
        memoryBytes: expect.any(Number) as number,
      },
    ],
  });
});

test("a browser ends after ten minutes without use, and not before", async () => {
  await using bench = await startBrowsing(FAKE);
  await bench.post(SITE);
  await bench.clock.advance(IDLE_MS - 1);
  await bench.post(SITE);
  await bench.clock.advance(IDLE_MS - 1);
  expect((await bench.status()).running).toHaveLength(1);
  await bench.clock.advance(1);
  await expect.poll(() => processesWith(bench.home)).toEqual([]);
  // Its end is noticed a moment later.
  await expect.poll(() => bench.tabs()).toEqual([]);
  expect((await bench.status()).running).toEqual([]);
});

test("a fifth browser ends the one that was not used for the longest time", async () => {
  await using bench = await startBrowsing(FAKE);
  const [first, second, third, fourth, fifth] = await addAgents(bench, 5);
  for (const id of [first, second, third, fourth, first]) {
    await bench.clock.advance(1);
    expect((await bench.post(SITE, id)).status).toBe(200);
  }
  expect((await bench.post(SITE, fifth)).status).toBe(200);
  const { running } = await bench.status();
  expect(running.map(({ profileId }) => profileId).sort()).toEqual(
    [first, third, fourth, fifth].sort(),
  );
});

test("a fifth browser is refused while the others are in use", async () => {
  await using bench = await startBrowsing(FAKE);
  const [fifth, ...four] = await addAgents(bench, 5);
  const open = four.map((id) => bench.post("https://never.example/", id));
  await expect.poll(async () => (await bench.status()).running).toHaveLength(4);
  expect(await bench.post(SITE, fifth)).toMatchObject({
    ...{ status: 409, body: { code: "BROWSER_LIMIT" } },
  });
  for (const { pid } of await processesWith(bench.home))
    process.kill(pid, "SIGKILL");
  for (const { status, body } of await Promise.all(open))
    expect({ status, body }).toMatchObject({
      ...{ status: 502, body: { code: "BROWSER_GONE" } },
    });
});

test("a killed browser is gone from the lists, leaves no process, and starts again", async () => {
  await using bench = await startBrowsing(FAKE);
  await bench.post(SITE);
  const [browser] = await processesWith(bench.home);
  process.kill(browser!.pid, "SIGKILL");
  await expect.poll(() => bench.tabs()).toEqual([]);
  const changed = bench.events.next(TabsChanged);
  await bench.clock.advance(1_000);
  await changed;
  expect((await bench.post(SITE)).status).toBe(200);
  expect(await processesWith(bench.home)).toHaveLength(1);
});

test("a browser ends with the plugin", async () => {
  await using bench = await startBrowsing(FAKE);
  await bench.post(SITE);
  await bench.kernel.plugins.stop("browser");
  expect(await processesWith(bench.home)).toEqual([]);
});

test("the profile of an agent is removed with the agent", async () => {
  await using bench = await startBrowsing(FAKE);
  const [id] = await addAgents(bench, 1);
  await bench.post(SITE, id);
  const folder = join(bench.home, "browser", id!);
  await access(folder);
  await bench.agents.emit(AgentDeleted.of(id!, { name: "Agent" }));
  await expect
    .poll(() =>
      access(folder).then(
        () => "there",
        () => "removed",
      ),
    )
    .toBe("removed");
  expect(await processesWith(bench.home)).toEqual([]);
});
