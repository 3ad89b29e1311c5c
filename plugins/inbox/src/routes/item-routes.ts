import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { inboxItem, itemKind, itemState } from "../contract.ts";
import { errors } from "../errors.ts";
import { toInboxItem } from "../items/item-record.ts";
import { MAX_COUNTED } from "../items/items.ts";
import type { Items } from "../items/items.ts";

/** The `{id}` of an item. */
export const itemId = {
  id: { prefix: "inb", missing: errors.INBOX_ITEM_NOT_FOUND },
};

const listQuery = pageQuery.extend({
  state: itemState.or(z.literal("open")).optional(),
  kind: itemKind.optional(),
  blocking: z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional(),
});

/** Lists, shows, changes and deletes items. */
export const createItemRoutes = (items: Items): RouteDefinition[] => [
  listItems(items),
  countItems(items),
  getItem(items),
  setState(items),
  deleteItem(items),
];

const listItems = (items: Items) =>
  defineRoute({
    method: "GET",
    path: "/api/inbox",
    summary: "What agents and automations have to tell or to ask",
    description:
      "Newest first. `state=open` is all that is not done; `blocking=true` is what a run or an agent waits for and is not done.",
    access: "session",
    query: listQuery,
    returns: pageOf(inboxItem),
    handle: ({ query }) => items.list(query),
  });

const countItems = (items: Items) =>
  defineRoute({
    method: "GET",
    path: "/api/inbox/badge",
    summary: "How much is unread and how much waits for an answer",
    description: `Each is counted up to ${MAX_COUNTED}, which stands for as many or more.`,
    access: "session",
    returns: z.object({
      unread: z.number().int(),
      blocking: z.number().int(),
    }),
    handle: () => items.badge(),
  });

const getItem = (items: Items) =>
  defineRoute({
    method: "GET",
    path: "/api/inbox/{id}",
    summary: "One item",
    access: "session",
    params: itemId,
    returns: inboxItem,
    errors: ["INBOX_ITEM_NOT_FOUND"],
    async handle({ params: { id } }) {
      const item = await items.get(id);
      if (!item) throw errors.INBOX_ITEM_NOT_FOUND({ id });
      return toInboxItem(item);
    },
  });

const setState = (items: Items) =>
  defineRoute({
    method: "POST",
    path: "/api/inbox/{id}/state",
    summary: "Mark an item as unread, read or done",
    description:
      "The item of a dialog that is open cannot be done: answer or cancel it.",
    access: "session",
    params: itemId,
    body: z.strictObject({ state: itemState }),
    returns: inboxItem,
    errors: ["INBOX_ITEM_NOT_FOUND", "INBOX_DIALOG_OPEN", "STALE_REVISION"],
    async handle({ params: { id }, body: { state }, ifMatch }) {
      const item = await items.change(
        id,
        (current) => {
          if (current.state === state) return undefined;
          if (state === "done" && current.dialog?.open)
            throw errors.INBOX_DIALOG_OPEN({ id });
          return { ...current, state };
        },
        { revision: ifMatch },
      );
      if (!item) throw errors.INBOX_ITEM_NOT_FOUND({ id });
      return toInboxItem(item);
    },
  });

const deleteItem = (items: Items) =>
  defineRoute({
    method: "DELETE",
    path: "/api/inbox/{id}",
    summary: "Delete an item",
    description:
      "What it is about stays as it is: a dialog that is open can still be answered where the agent is.",
    access: "session",
    params: itemId,
    returns: okAnswer,
    errors: ["INBOX_ITEM_NOT_FOUND"],
    async handle({ params: { id }, ifMatch }) {
      if (!(await items.remove(id, { revision: ifMatch })))
        throw errors.INBOX_ITEM_NOT_FOUND({ id });
      return { ok: true as const };
    },
  });
