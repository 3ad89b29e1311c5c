import { createFakeClock } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import type {
  ProfileOwner,
  RunningBrowser,
} from "../../src/chromium/browser-pool.ts";
import type { ProtocolEvent } from "../../src/protocol/protocol-connection.ts";
import { BrowserTabs, MAX_TABS } from "../../src/tabs/browser-tabs.ts";

/** Tabs of a browser whose part the test plays. */
async function follow(owner: ProfileOwner = { kind: "user" }) {
  let listener: (event: ProtocolEvent) => void;
  const closed: string[] = [];
  const targetInfos: object[] = [];
  const clock = createFakeClock();
  const protocol = {
    isClosed: false,
    onEvent: (given: typeof listener) => void (listener = given),
    send(method: string, params?: { targetId: string; url: string }) {
      if (method === "Target.closeTarget") closed.push(params!.targetId);
      if (method === "Target.createTarget") report("Created", params!.url);
      return Promise.resolve({ targetId: params?.url, targetInfos });
    },
  };
  const browser = { owner, protocol } as unknown as RunningBrowser;
  let changes = 0;
  const onChange = () => void (changes += 1);
  const tabs = new BrowserTabs({ browser, clock, onChange });
  await tabs.follow();
  const report = (event: string, targetId: string, info: object = {}) =>
    listener({
      method: `Target.target${event}`,
      params: {
        ...{ targetId },
        targetInfo: { targetId, type: "page", url: "", title: "", ...info },
      },
    });
  return {
    ...{ tabs, report, closed, clock, protocol, targetInfos },
    changes: () => changes,
  };
}

test("pages are tabs with their owner, and other targets are not", async () => {
  const agentId = "agt_1";
  const { tabs, report } = await follow({ kind: "agent", agentId });
  report("Created", "a", { url: "https://a.example/" });
  report("Created", "w", { type: "service_worker" });
  report("InfoChanged", "a", {
    ...{ url: "https://a.example/next", title: "Next\n\u202epage" },
  });
  expect(await tabs.list()).toEqual([
    {
      ...{ id: "a", url: "https://a.example/next", title: "Next page" },
      ...{ ownerAgentId: agentId, problem: null },
    },
  ]);
  report("Destroyed", "a");
  expect(await tabs.list()).toEqual([]);
});

test("a list has the present titles, which Chromium does not report by itself", async () => {
  const { tabs, report, targetInfos, changes } = await follow();
  report("Created", "a", { url: "https://a.example/" });
  expect(changes()).toBe(1);
  targetInfos.push(
    ...[{ targetId: "a", title: "Inbox (1)", url: "https://a.example/" }],
    ...[{ targetId: "w", title: "Worker", url: "https://a.example/w.js" }],
  );
  expect(await tabs.list()).toMatchObject([{ id: "a", title: "Inbox (1)" }]);
  // Others that show the list are told, once.
  expect(changes()).toBe(2);
  await tabs.list();
  expect(changes()).toBe(2);
});

test("a page cannot open more tabs than a browser may have", async () => {
  const { tabs, report, closed } = await follow();
  for (let count = 0; count < MAX_TABS; count++) report("Created", `${count}`);
  report("Created", "over");
  expect(tabs.size).toBe(MAX_TABS);
  expect(closed).toEqual([]);
  tabs.noteRunning("over");
  expect(closed).toEqual(["over"]);
  await expect(tabs.open("https://a.example/")).rejects.toMatchObject({
    code: "BROWSER_TAB_LIMIT",
  });
  report("Destroyed", "0");
  expect(await tabs.open("https://a.example/")).toMatchObject({
    id: "https://a.example/",
  });
});

test("a tab that Chromium keeps open is closed again, and is not in the list", async () => {
  const { tabs, report, closed, clock } = await follow();
  report("Created", "a");
  tabs.close("a");
  expect(await tabs.list()).toEqual([]);
  report("InfoChanged", "a");
  expect(await tabs.list()).toEqual([]);
  expect(closed).toHaveLength(2);
  await clock.advance(1_000);
  expect(closed).toHaveLength(3);
  report("Destroyed", "a");
  await clock.advance(60_000);
  expect(closed).toHaveLength(3);
});

test("a tab that never closes is given up on, as is one of a browser that has ended", async () => {
  const { tabs, report, closed, clock, protocol } = await follow();
  report("Created", "a");
  tabs.close("a");
  await clock.advance(60_000);
  expect(closed).toHaveLength(11);
  report("Created", "b");
  tabs.close("b");
  protocol.isClosed = true;
  await clock.advance(60_000);
  expect(closed).toHaveLength(12);
});
