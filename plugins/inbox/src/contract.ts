import { defineEvent, defineService } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** What an item is: an answer, something to choose, something to allow, or something to know. */
export const itemKind = z.enum(["result", "question", "approval", "notice"]);
export type InboxItemKind = z.infer<typeof itemKind>;

/** How far the user is with an item. */
export const itemState = z.enum(["unread", "read", "done"]);
export type InboxItemState = z.infer<typeof itemState>;

/** What an item is about: an automation, an agent, the kernel, or a thing of another plugin. */
export const itemSource = z.object({
  /** Kebab-case: `automation`, `agent`, `kernel`, or a plugin's own word. */
  type: z.string(),
  id: z.string(),
  /** How people call it; `null` if it has no name. */
  name: z.string().nullable(),
});
export type InboxItemSource = z.infer<typeof itemSource>;

/** The run of an automation that made an item. */
export const itemRun = z.object({
  id: z.string(),
  automationId: z.string(),
  result: z.enum(["done", "failed"]),
  reason: z.string().nullable(),
  trigger: z.string(),
  scheduleLabel: z.string().nullable(),
  /** Unknown is `null`, never 0. */
  costUsd: z.number().nullable(),
  /** The session of the agent's CLI that a reply goes to; `null` for the one at hand. */
  sessionId: z.string().nullable().default(null),
});
export type InboxItemRun = z.infer<typeof itemRun>;

/** The dialog of an agent that an item stands for. */
export const itemDialog = z.object({
  id: z.string(),
  agentId: z.string(),
  options: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      kind: z.enum(["allow", "reject", "other"]),
    }),
  ),
  /** Whether a free text is an answer too. */
  takesText: z.boolean(),
  /** Whether the agent still waits. */
  open: z.boolean(),
  /** What it was answered with; `null` while it is open, and if it was not answered. */
  answer: z.string().nullable(),
});
export type InboxItemDialog = z.infer<typeof itemDialog>;

/** The turn of an agent that a stop or a crash of the daemon cut off. */
export const itemCutOff = z.object({
  turnId: z.string(),
  agentId: z.string(),
  /** Whether it can be continued: by a reply whose `optionId` is {@link CONTINUE_OPTION}. */
  open: z.boolean(),
  /** The task that continues it; `null` unless a reply asked for that. */
  taskId: z.string().nullable(),
});
export type InboxItemCutOff = z.infer<typeof itemCutOff>;

/** The `optionId` of a reply that continues a turn that was cut off. */
export const CONTINUE_OPTION = "continue";

/** One thing in the Inbox, as clients see it. */
export const inboxItem = z.object({
  ...storedFields,
  kind: itemKind,
  /** One line of plain text. */
  title: z.string(),
  /** Markdown. */
  body: z.string(),
  /** Whether the body was longer and its end is left out. */
  truncated: z.boolean(),
  source: itemSource,
  /** Whether work waits for the user: of an agent that asks, or that was cut off. It stays true once the item is done. */
  blocking: z.boolean(),
  state: itemState,
  /** How grave a notice is; `null` for other kinds. */
  severity: z.enum(["info", "warning", "error"]).nullable(),
  /** The agent that a reply goes to; `null` if there is none. */
  agentId: z.string().nullable(),
  run: itemRun.nullable(),
  dialog: itemDialog.nullable(),
  /** Of a run that was cut off as well as of an agent's own turn. Items of an earlier version have none. */
  cutOff: itemCutOff.nullable().default(null),
  /** How many equal notices in a row the item stands for. */
  count: z.number().int().positive(),
  /** When the last of them came. Listings are in this order. */
  lastAt: timestamp,
});
export type InboxItem = z.infer<typeof inboxItem>;

/** An item that another plugin puts into the Inbox. */
export interface NewInboxItem {
  kind: InboxItemKind;
  /** Plain text; becomes one line of at most 200 characters. */
  title: string;
  /** Markdown; cut at 32,768 characters. */
  body: string;
  source: InboxItemSource;
  /** An agent or a program waits for the user. Take it back with `settle` when the wait is over. */
  blocking?: boolean;
  /** For notices; `info` unless said. */
  severity?: "info" | "warning" | "error";
  /** The agent that a reply goes to. */
  agentId?: string;
  /** Unique in the Inbox; begin it with the plugin's id. While an item has it, another with the same is not added. */
  key?: string;
}

/**
 * Puts items into the Inbox of the user. A call from a durable listener takes part in its batch, so that each event
 * makes its item once.
 */
export interface InboxItems {
  /**
   * Adds an item. A notice that equals one of the last 20 of its source, which the user has not done yet and which no
   * item of another kind has followed, is counted there instead. Gives the id of the item that shows it.
   */
  add(input: NewInboxItem, signal: AbortSignal): Promise<{ id: string }>;
  /** Marks the item with this key as done. Harmless if there is none. */
  settle(input: { key: string }, signal: AbortSignal): Promise<void>;
}

export const InboxItems = defineService<InboxItems>("inbox.items@1");

/** What the events of the Inbox report about an item. */
export interface InboxItemBrief {
  kind: InboxItemKind;
  title: string;
  blocking: boolean;
  state: InboxItemState;
  count: number;
}

export const ItemAdded = defineEvent<InboxItemBrief>(
  "inbox.item-added",
  "An item came into the Inbox.",
);
export const ItemChanged = defineEvent<InboxItemBrief>(
  "inbox.item-changed",
  "An item of the Inbox changed: its state, its answer, or how often it came.",
);
export const ItemRemoved = defineEvent<InboxItemBrief>(
  "inbox.item-removed",
  "An item was deleted from the Inbox.",
);
