import { createIdentifier, definePlugin } from "@gantry/plugin";
import { expect, test } from "vitest";
import { InboxItems } from "../src/contract.ts";
import type { NewInboxItem } from "../src/contract.ts";
import { startInbox } from "./support/inbox.ts";
import { createFakeMessages } from "./support/messages.ts";

/** A plugin that puts items into the Inbox as any other would. */
async function startWithConsumer() {
  let service: InboxItems | undefined;
  const consumer = definePlugin({
    id: "consumer",
    api: 1,
    summary: "Puts items into the Inbox",
    mounts: [],
    needs: { inbox: InboxItems },
    setup(ctx) {
      service = ctx.needs.inbox;
    },
  });
  const messages = createFakeMessages();
  const kernel = await startInbox([consumer, messages.plugin]);
  const { signal } = new AbortController();
  return {
    kernel,
    messages,
    add: (item: Partial<NewInboxItem> = {}) => {
      if (!service) throw new Error("The service is missing.");
      return service.add({ ...notice, ...item }, signal);
    },
    settle: (key: string) => service?.settle({ key }, signal),
  };
}

const notice: NewInboxItem = {
  kind: "notice",
  title: "The disk is nearly full",
  body: "3 % are left.",
  source: { type: "backup", id: "disk", name: null },
};

test("another plugin puts a notice into the Inbox", async () => {
  const { kernel, add } = await startWithConsumer();
  await using _ = kernel;
  const { id } = await add({ severity: "warning" });
  expect(await kernel.list()).toMatchObject([
    {
      id,
      kind: "notice",
      title: "The disk is nearly full",
      severity: "warning",
      count: 1,
      blocking: false,
      agentId: null,
    },
  ]);
  // What only the plugin itself needs stays with it.
  expect(Object.keys((await kernel.list())[0] ?? {})).not.toEqual(
    expect.arrayContaining(["key"]),
  );
});

test("equal notices are counted, others are not", async () => {
  const { kernel, add } = await startWithConsumer();
  await using _ = kernel;
  const first = await add();
  expect(await add()).toEqual(first);
  await kernel.clock.advance(1);
  expect(await add({ body: "2 % are left." })).not.toEqual(first);
  expect((await kernel.list()).map(({ body, count }) => [body, count])).toEqual(
    [
      ["2 % are left.", 1],
      ["3 % are left.", 2],
    ],
  );
});

test("results are never counted together", async () => {
  const { kernel, add } = await startWithConsumer();
  await using _ = kernel;
  await add({ kind: "result" });
  await add({ kind: "result" });
  expect(await kernel.list()).toHaveLength(2);
});

test("a key is there once, also if two come at once, until its item is deleted", async () => {
  const { kernel, add } = await startWithConsumer();
  await using _ = kernel;
  const key = "consumer:first steps";
  const ids = await Promise.all([
    add({ key }),
    add({ key }),
    add({ key, body: "Another" }),
  ]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  expect(await kernel.list()).toMatchObject([
    { body: "3 % are left.", count: 1 },
  ]);
  await kernel.api.delete(`/api/inbox/${ids[0]?.id}`);
  expect(await add({ key })).not.toEqual(ids[0]);
});

test("a blocking item of a plugin is done when the plugin says so, or the user", async () => {
  const { kernel, add, settle } = await startWithConsumer();
  await using _ = kernel;
  const question = {
    kind: "approval",
    blocking: true,
    title: "Restore the backup?",
  } as const;
  const { id } = await add({ ...question, key: "consumer:restore" });
  const other = await add({ ...question, key: "consumer:other" });
  expect((await kernel.api.get("/api/inbox/badge")).body).toEqual({
    unread: 2,
    blocking: 2,
  });
  await settle("consumer:restore");
  await settle("consumer:restore");
  await settle("consumer:unknown");
  expect(await kernel.api.get(`/api/inbox/${id}`)).toMatchObject({
    body: { state: "done", revision: 2 },
  });
  expect(
    await kernel.api.post(`/api/inbox/${other.id}/state`, { state: "done" }),
  ).toMatchObject({ status: 200 });
  expect((await kernel.api.get("/api/inbox/badge")).body).toEqual({
    unread: 0,
    blocking: 0,
  });
});

test("an item that names an agent is replied to", async () => {
  const { kernel, messages, add } = await startWithConsumer();
  await using _ = kernel;
  const agentId = createIdentifier("agt");
  const { id } = await add({ kind: "result", agentId });
  expect(
    await kernel.api.post(`/api/inbox/${id}/reply`, { message: "Thanks" }),
  ).toMatchObject({ status: 200 });
  expect(messages.prompts).toMatchObject([{ agentId, message: "Thanks" }]);
});

test.each([
  [{ title: "" }],
  [{ kind: "mail" }],
  [{ source: { type: "Not Kebab", id: "x", name: null } }],
  [{ source: { type: "backup", id: "", name: null } }],
  [{ key: "k".repeat(201) }],
  [{ key: "half \ud800 a pair" }],
  [{ color: "red" }],
])("a plugin that gives %j is told so, and nothing is added", async (wrong) => {
  const { kernel, add } = await startWithConsumer();
  await using _ = kernel;
  await expect(add(wrong as Partial<NewInboxItem>)).rejects.toThrow();
  expect(await kernel.list()).toEqual([]);
});

test("of two items with one key, as a merge may bring, the one that was here stays and is settled", async () => {
  const { kernel, add, settle } = await startWithConsumer();
  await using _ = kernel;
  const engine = () => kernel.kernel.foundation.core.engine;
  const first = await add({ key: "disk" });
  const key = `inbox:item:${first.id}`;
  const value = (await engine().get(key))!;
  await kernel.api.delete(`/api/inbox/${first.id}`);
  const second = await add({ key: "disk" });
  // What a merge of the kernel does: it brings the record, and has the indexes built again.
  const digests = await engine().keys("kernel:collection:inbox:");
  await engine().commit([
    { type: "set", key, value },
    ...digests.map((digest) => ({ type: "remove" as const, key: digest })),
  ]);
  await kernel.restart();
  const ids = async () =>
    (await kernel.list({ state: "open" }))
      .filter(({ title }) => title === notice.title)
      .map(({ id }) => id);
  expect(await ids()).toEqual([second.id]);
  await settle("disk");
  expect(await ids()).toEqual([]);
});
