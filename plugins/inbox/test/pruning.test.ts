import { definePlugin } from "@gantry/plugin";
import { expect, test } from "vitest";
import { InboxItems, ItemRemoved } from "../src/contract.ts";
import type { InboxItem } from "../src/contract.ts";
import { startInbox } from "./support/inbox.ts";
import type { TestInbox } from "./support/inbox.ts";
import { dialogOpened, runFinished } from "./support/sources.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const run = (automationName: string) => runFinished({ automationName });

/** Lets days pass in which the daemon is down, and starts it again, which removes what is too old. */
async function restartAfter(inbox: TestInbox, days: number): Promise<void> {
  await inbox.kernel.stop();
  await inbox.clock.advance(days * DAY_MS);
  await inbox.restart();
}

/** The list, as a device sees it that was paired just now: others may have been away for too long. */
async function list(inbox: TestInbox): Promise<InboxItem[]> {
  const { client } = await inbox.pairAs("Reader");
  const { body } = await client.get<{ items: InboxItem[] }>("/api/inbox");
  return body.items;
}

const titles = async (inbox: TestInbox) =>
  (await list(inbox)).map(({ title }) => title);

async function mark(inbox: TestInbox, title: string, state: string) {
  const { client } = await inbox.pairAs("Reader");
  const { id } = (await list(inbox)).find((item) => item.title === title)!;
  await client.post(`/api/inbox/${id}/state`, { state });
}

test("items go 90 days after they are done, or a year after they came; what waits for an answer stays", async () => {
  await using inbox = await startInbox();
  await inbox.tell(dialogOpened({ title: "Sure?" }));
  await inbox.tell(run("Done"), run("Unread"), run("Read"));
  await mark(inbox, "Done", "done");
  await mark(inbox, "Read", "read");
  await restartAfter(inbox, 89);
  expect(await titles(inbox)).toEqual(["Read", "Unread", "Done", "Sure?"]);
  await restartAfter(inbox, 2);
  await expect.poll(() => titles(inbox)).toEqual(["Read", "Unread", "Sure?"]);
  // One that came long ago counts from when it is done.
  await mark(inbox, "Read", "done");
  await restartAfter(inbox, 80);
  expect(await titles(inbox)).toEqual(["Read", "Unread", "Sure?"]);
  await restartAfter(inbox, 200);
  await expect.poll(() => titles(inbox)).toEqual(["Sure?"]);
  expect((await list(inbox))[0]).toMatchObject({ dialog: { open: true } });
});

test(
  "a removed item is reported by an event, and the nightly job removes it too",
  { tags: "thorough" },
  async () => {
    await using inbox = await startInbox();
    const [item] = await inbox.tell(run("Old"));
    await restartAfter(inbox, 364);
    expect(await titles(inbox)).toEqual(["Old"]);
    await inbox.clock.advance(2 * DAY_MS);
    expect(await inbox.events.first(ItemRemoved)).toMatchObject({
      subject: item!.id,
      data: { title: "Old" },
    });
    expect(await titles(inbox)).toEqual([]);
  },
);

test(
  "of more than 5,000 items the oldest go, those first that are done",
  { tags: "thorough" },
  async () => {
    let service: InboxItems | undefined;
    const filler = definePlugin({
      id: "filler",
      api: 1,
      summary: "Fills the Inbox",
      mounts: [],
      needs: { items: InboxItems },
      setup: (ctx) => void (service = ctx.needs.items),
    });
    await using inbox = await startInbox([filler]);
    const { signal } = new AbortController();
    const add = (title: string) =>
      service!.add(
        {
          ...{ kind: "result", title, body: "" },
          source: { type: "filler", id: title, name: null },
        },
        signal,
      );
    await add("Oldest");
    await inbox.clock.advance(1_000);
    await add("Old and done");
    await mark(inbox, "Old and done", "done");
    await inbox.clock.advance(1_000);
    for (let count = 1; count <= 4_999; count++) await add(`Item ${count}`);
    const count = async () =>
      (await inbox.kernel.foundation.core.engine.keys("inbox:item:")).length;
    expect(await count()).toBe(5_001);
    await inbox.restart();
    await expect.poll(count).toBe(5_000);
    const { client } = await inbox.pairAs("Reader");
    const done = await client.get<object>("/api/inbox", { state: "done" });
    expect(done.body).toMatchObject({ items: [] });
  },
);
