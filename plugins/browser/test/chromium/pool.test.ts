import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProfileOwner } from "../../src/chromium/browser-pool.ts";
import { IDLE_MS } from "../../src/chromium/pooled-browser.ts";
import { openPage } from "../support/open-page.ts";
import { processesWith } from "../support/processes.ts";
import { hasChromium, startPool } from "../support/start-pool.ts";
import { sitePages } from "../support/test-egress.ts";

const user: ProfileOwner = { kind: "user" };
const agent = (name: string): ProfileOwner => ({
  kind: "agent",
  agentId: `agt_${name}`,
});

describe.skipIf(!hasChromium)("the pool", { timeout: 120_000 }, () => {
  let world: Awaited<ReturnType<typeof startPool>>;
  beforeAll(async () => {
    world = await startPool({
      site: sitePages({ "/": "<title>Home</title>hello" }),
    });
  }, 60_000);
  afterAll(() => world?.kernel.stop(), 60_000);

  test("several callers share one start, and a page loads through the proxy with its password", async () => {
    const { pool } = world;
    const [one, other] = await Promise.all([pool.open(user), pool.open(user)]);
    expect(one).toBe(other);
    expect(one.version).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    for (const host of ["one.test", "two.test"])
      expect(
        await (
          await openPage(one, `http://${host}/`)
        ).evaluate("document.title"),
      ).toBe("Home");
  });

  test("it ends after ten minutes without a viewer, not before, and keeps its cookies", async () => {
    const { pool, kernel } = world;
    const browser = await pool.open(user);
    const page = await openPage(browser, "http://one.test/");
    await page.evaluate("document.cookie = 'kept=1; max-age=100000'");
    const release = pool.hold(browser);
    await kernel.clock.advance(IDLE_MS * 2);
    expect(pool.get("user")).toBe(browser);
    release();
    await kernel.clock.advance(IDLE_MS - 1);
    expect(pool.get("user")).toBe(browser);
    await kernel.clock.advance(1);
    expect(await browser.ended).toBe("idle");
    // It opens only after the first has written its profile.
    const again = await pool.open(user);
    expect(again).not.toBe(browser);
    expect(
      await (
        await openPage(again, "http://one.test/")
      ).evaluate("document.cookie"),
    ).toBe("kept=1");
  });

  test("a killed browser is reported, leaves no process, and starts again on its profile", async () => {
    const { pool, kernel } = world;
    const browser = await pool.open(user);
    process.kill(-browser.pid, "SIGKILL");
    expect(await browser.ended).toBe("crashed");
    await expect(
      browser.protocol.send("Browser.getVersion"),
    ).rejects.toMatchObject({ code: "BROWSER_GONE" });
    const again = await pool.open(user);
    expect(
      await (
        await openPage(again, "http://one.test/")
      ).evaluate("document.title"),
    ).toBe("Home");
    await pool.end("user");
    await expect
      .poll(() => processesWith(kernel.home), { timeout: 30_000 })
      .toEqual([]);
  });

  test("a fifth browser evicts the least recently used one without a holder", async () => {
    const { pool } = world;
    const first = await pool.open(agent("1"));
    const releases = [pool.hold(first)];
    const second = await pool.open(agent("2"));
    for (const name of ["3", "4"])
      releases.push(pool.hold(await pool.open(agent(name))));
    const fifth = await pool.open(agent("5"));
    expect(await second.ended).toBe("evicted");
    releases.push(pool.hold(fifth));
    await expect(pool.open(agent("6"))).rejects.toMatchObject({
      code: "BROWSER_LIMIT",
      status: 409,
    });
    for (const release of releases) release();
    await Promise.all(
      ["1", "3", "4", "5"].map((name) => pool.end(`agt_${name}`)),
    );
    expect(pool.all()).toEqual([]);
  });

  test("an agent's profile is removed with everything in it", async () => {
    const { pool } = world;
    await openPage(await pool.open(agent("1")), "http://one.test/").then(
      (page) => page.evaluate("document.cookie = 'gone=1; max-age=100000'"),
    );
    await pool.forget("agt_1");
    const page = await openPage(
      await pool.open(agent("1")),
      "http://one.test/",
    );
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("start listeners prepare a browser before callers get it, and can refuse it", async () => {
    const { pool } = world;
    const stop = pool.onStart(() => {
      expect(pool.get("agt_7")).toBeUndefined();
      throw new Error("not today");
    });
    await expect(pool.open(agent("7"))).rejects.toThrow("not today");
    stop();
    expect(pool.get("agt_7")).toBeUndefined();
  });
});
