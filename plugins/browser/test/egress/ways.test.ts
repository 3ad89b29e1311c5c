import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { cases } from "@gantry/build/testing";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addAgents, REAL, startBrowsing } from "../support/start-browsing.ts";
import type { BrowsingBench } from "../support/start-browsing.ts";
import {
  startAttackSite,
  startForbiddenServer,
} from "./support/attack-site.ts";

describe.skipIf(chromiumPath === undefined)("ways of a page to a port", () => {
  let bench: BrowsingBench;
  let agentId: string;
  beforeAll(async () => {
    bench = await startBrowsing(REAL);
    bench.names.set("inside.site.test", ["127.0.0.1"]);
    bench.names.set("mixed.site.test", ["93.184.216.34", "127.0.0.1"]);
    bench.names.set("mapped.site.test", ["::ffff:127.0.0.1"]);
    [agentId = ""] = await addAgents(bench, 1);
  });
  afterAll(() => bench?.stop());

  /** Lets a page try all ways, and returns the addresses that WebRTC found. */
  async function attack(
    port: number | string,
    sites: readonly string[] | "user",
  ): Promise<string | null> {
    await using site = await startAttackSite();
    if (sites !== "user")
      await bench.api.put(`/api/browser/policies/${agentId}`, {
        tier: "full",
        sites: [...sites, `localhost:${site.port}`],
      });
    const { body: tab } = await bench.post(
      `http://localhost:${site.port}/attack?port=${port}`,
      ...(sites === "user" ? [] : [agentId]),
    );
    const find = async () =>
      (await bench.tabs()).find(({ id }) => id === tab.id);
    await expect.poll(async () => (await find())?.title).toBe("blank");
    const { searchParams } = new URL((await find())!.url);
    await bench.api.delete(`/api/browser/tabs/${tab.id}`);
    return searchParams.get("candidates");
  }

  test.each(
    cases([
      ["an agent that may open all sites", ["*", "site.test", "*.site.test"]],
      ["the user", "user"],
    ] as const),
  )("none gets there from a browser of %s", async (_, sites) => {
    await using forbidden = await startForbiddenServer();
    await attack(forbidden.port, sites);
    expect([...forbidden.reached]).toEqual([]);
  });

  test("none gets to the daemon, not even where its port is listed", async () => {
    const reached: (string | undefined)[] = [];
    const note = (message: unknown) => {
      const { url } = (message as { request: IncomingMessage }).request;
      if (url?.includes("?v=")) reached.push(url);
    };
    subscribe("http.server.request.start", note);
    try {
      const { port } = new URL(bench.url);
      await attack(port, ["*", `localhost:${port}`]);
      expect(reached).toEqual([]);
      // It would have been noticed.
      await fetch(`${bench.url}/?v=fetch`);
      expect(reached).toEqual(["/?v=fetch"]);
    } finally {
      unsubscribe("http.server.request.start", note);
    }
  });

  test("most get there where the port is listed, but no packet of WebRTC", async () => {
    await using open = await startForbiddenServer();
    const candidates = await attack(open.port, [`localhost:${open.port}`]);
    expect(candidates).toBe("");
    expect(open.reached).not.toContain("udp");
    // What is sent as the page is left comes last.
    await expect
      .poll(() => [...open.reached])
      .toEqual(
        expect.arrayContaining([
          ...["fetch", "websocket", "eventsource", "beacon", "img", "iframe"],
          ...["redirect-fetch", "redirect-iframe", "css", "font", "form-post"],
          ...["worker", "shared-worker", "service-worker", "blob-worker"],
          // No "ping": newer versions obey --no-pings.
          ...["worker-websocket", "sandboxed", "data-frame", "prefetch"],
          ...["host-localhost", "host-2130706433", "host-[::ffff:127.0.0.1]"],
          ...["link-download", "pagehide"],
        ]),
      );
    expect(open.reached.size).toBeGreaterThan(40);
  });
});
