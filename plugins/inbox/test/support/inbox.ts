import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel, TestKernelOptions } from "@gantry/plugin-testing";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import inbox from "../../src/index.ts";
import { ItemAdded, ItemChanged } from "../../src/contract.ts";
import type { InboxItem } from "../../src/contract.ts";
import { createFakeMessages } from "./messages.ts";
import { createSources } from "./sources.ts";

export { inbox };

/** A kernel with the Inbox and a stand-in for the plugins that fill it. */
export interface TestInbox extends TestKernel {
  /** Emits events and waits for as many items to be added or changed. */
  tell(...events: NewEvent[]): Promise<InboxItem[]>;
  emit(...events: NewEvent[]): Promise<void>;
  list(
    query?: Record<string, string | number | undefined>,
  ): Promise<InboxItem[]>;
}

export async function startInbox(
  beside: readonly PluginDefinition[] = [],
  options: TestKernelOptions = {},
): Promise<TestInbox> {
  const sources = createSources();
  const kernel = await startTestKernel(
    [...beside, sources.plugin, inbox],
    options,
  );

  async function list(
    query: Record<string, string | number | undefined> = {},
  ): Promise<InboxItem[]> {
    const answer = await kernel.api.get<{ items: InboxItem[] }>(
      "/api/inbox",
      query,
    );
    if (answer.status !== 200)
      throw new Error(
        `The list answered ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
    return answer.body.items;
  }

  // The spread would read the getters once; a restart changes what they give.
  return Object.assign(Object.create(kernel) as TestKernel, {
    emit: sources.emit,
    list,
    async tell(...events: NewEvent[]) {
      for (const event of events) {
        const change = Promise.race([
          kernel.events.next(ItemAdded),
          kernel.events.next(ItemChanged),
        ]);
        await sources.emit(event);
        await change;
        // Another moment for each, so that the order of listings is certain.
        await kernel.clock.advance(1000);
      }
      return list();
    },
  });
}

/** An Inbox with a stand-in for agents, and the one item of an event. */
export async function startWithItem(event: NewEvent) {
  const messages = createFakeMessages();
  const kernel = await startInbox([messages.plugin]);
  const [item] = await kernel.tell(event);
  if (!item) throw new Error("There is no item.");
  return { kernel, messages, item, replyPath: `/api/inbox/${item.id}/reply` };
}

/** How many items are unread and how many wait for the user. */
export async function readBadge({ api }: TestInbox): Promise<unknown> {
  return (await api.get("/api/inbox/badge")).body;
}
