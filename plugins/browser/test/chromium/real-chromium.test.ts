import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IDLE_MS } from "../../src/chromium/pooled-browser.ts";
import { TabsChanged } from "../../src/contract.ts";
import { processesWith, runningOf } from "../support/processes.ts";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import { startSite } from "../support/start-site.ts";

describe.skipIf(chromiumPath === undefined)("a real Chromium", () => {
  let bench: BrowsingBench;
  beforeAll(async () => {
    bench = await startBrowsing(REAL);
    bench.names.set("shop.test", ["127.0.0.1"]);
  });
  afterAll(() => bench?.stop());

  /** Titles of the open tabs, by their addresses. */
  const titles = async () =>
    Object.fromEntries(
      (await bench.tabs()).map(({ url, title }) => [url, title]),
    );

  test("shows pages in tabs of the user and of agents, each in its own profile", async () => {
    await using site = await startSite();
    const url = `http://shop.test:${site.port}/`;
    const [agentId] = await addAgents(bench, 1, [`shop.test:${site.port}`]);
    const changed = bench.events.next(TabsChanged);
    const { status, body: opened } = await bench.post(url);
    expect({ status, opened }).toMatchObject({
      ...{ status: 200, opened: { url, ownerAgentId: null } },
    });
    await expect.poll(titles).toEqual({ [url]: "Shop" });
    await bench.clock.advance(1_000);
    expect(await changed).toMatchObject({ subject: "user" });

    await bench.post(`${url}agent`, agentId);
    await expect
      .poll(titles)
      .toEqual({ [url]: "Shop", [`${url}agent`]: "Shop" });
    // Cookies of one profile are not in the other.
    expect(
      site.requests
        .filter((request) => request.url === "/agent")
        .map(({ headers }) => headers.cookie),
    ).toEqual([undefined]);

    for (const { id } of await bench.tabs())
      expect(await bench.api.delete(`/api/browser/tabs/${id}`)).toMatchObject({
        status: 200,
      });
    expect(await bench.tabs()).toEqual([]);
    expect(
      await bench.api.delete(`/api/browser/tabs/${opened.id}`),
    ).toMatchObject({ status: 404, body: { code: "BROWSER_TAB_NOT_FOUND" } });
  });

  test("reaches of this machine only what was opened, and never the daemon", async () => {
    await using other = await startSite();
    const daemon = new URL(bench.url).port;
    const targets = [
      `http://127.0.0.1:${other.port}/`,
      `http://localhost:${other.port}/`,
      `http://[::1]:${daemon}/`,
      ...["127.0.0.1", "localhost", "gantry.localhost", "0.0.0.0"].map(
        (host) => `http://${host}:${daemon}/`,
      ),
      "http://169.254.169.254/",
    ];
    await using site = await startSite(`<title>Waiting</title><script>
      const tries = [...${JSON.stringify(targets)}, location.origin + "/own"].map(
        (url) => fetch(url, { mode: "no-cors" }).then(() => "reached", () => "refused"),
      );
      const sockets = ${JSON.stringify(targets)}.map(
        (url) => new Promise((resolve) => {
          const socket = new WebSocket(url.replace("http", "ws"));
          socket.onopen = () => resolve("reached");
          socket.onclose = () => resolve("refused");
        }),
      );
      Promise.all([...tries, ...sockets]).then((all) => { document.title = all.join(); });
    </script>`);
    expect(
      await bench.post(`http://127.0.0.1:${daemon}/api/health`),
    ).toMatchObject({ status: 403, body: { code: "BROWSER_REFUSED" } });
    const url = `http://shop.test:${site.port}/`;
    await bench.post(url);
    const refused = targets.map(() => "refused");
    await expect
      .poll(async () => (await titles())[url])
      .toBe([...refused, "reached", ...refused].join());
    expect(other.requests).toEqual([]);
  });

  test("keeps its cookies when it ends for idleness, and starts again after a kill", async () => {
    await using site = await startSite();
    const url = `http://shop.test:${site.port}/`;
    const cookie = () => site.requests.at(-1)?.headers.cookie;
    await bench.post(url);
    await expect.poll(() => site.requests.length).toBeGreaterThan(0);
    await bench.clock.advance(IDLE_MS);
    await expect.poll(() => processesWith(`${bench.home}/browser`)).toEqual([]);

    await bench.post(`${url}again`);
    await expect.poll(cookie).toBe("kept=1");
    const all = await processesWith(`${bench.home}/browser`);
    const main = all.find(({ command }) => !command.includes("--type="));
    expect(all.length).toBeGreaterThan(1);
    // Some draw the list below their address bar in a process of its own.
    expect(all.filter(({ command }) => command.includes("top-chrome"))).toEqual(
      [],
    );
    process.kill(main!.pid, "SIGKILL");
    await expect.poll(() => runningOf(all)).toEqual([]);
    await expect.poll(() => bench.tabs()).toEqual([]);

    site.requests.length = 0;
    expect((await bench.post(`${url}third`)).status).toBe(200);
    await expect.poll(cookie).toBe("kept=1");
  });
});
