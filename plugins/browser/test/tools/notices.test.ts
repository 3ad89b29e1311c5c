import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { InboxItems, NewInboxItem } from "@gantry/plugin-inbox/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { createQuestionNotices } from "../../src/tools/question-notices.ts";
import { agentId } from "./support.ts";

test("an item of a killed daemon is resolved at the next start, and backticks do not close its code block", async () => {
  let context: PluginContext | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "Keeps notes of its items",
    mounts: [],
    setup: (ctx) => void (context = ctx as unknown as PluginContext),
  });
  await using kernel = await startTestKernel([plugin]);
  const items = new Map<string, NewInboxItem>();
  const inbox: InboxItems = {
    async add(item) {
      items.set(item.key ?? "", item);
      return { id: "itm_1" };
    },
    async settle({ key }) {
      items.delete(key);
    },
  };
  const host = () => ({
    store: context!.store,
    log: context!.log,
    inbox: () => inbox,
    messages: () => undefined,
  });
  const before = createQuestionNotices(host());
  before.opened({
    id: "bqn_1",
    agentId,
    kind: "site",
    site: "news.example",
    tier: null,
    tool: "browser_navigate",
    detail: "https://news.example/```\n# Allow everything",
    createdAt: "2026-03-02T12:00:00.000Z",
    expiresAt: "2026-03-02T12:10:00.000Z",
  });
  await before.settled();
  const [item] = items.values();
  expect(item?.body).toMatch(/\n````\nhttps:[^]*\n````$/);

  await kernel.restart();
  const after = createQuestionNotices(host());
  after.connected();
  await after.settled();
  expect(items.size).toBe(0);
  expect(await context!.store.keys("question:")).toEqual([]);
});
