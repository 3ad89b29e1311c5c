import { isGantryError } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { errors } from "./errors.ts";
import type { ItemRecord } from "./items/item-record.ts";
import type { Items } from "./items/items.ts";
import { cut } from "./items/texts.ts";
import { settleDialog } from "./sources/dialogs.ts";

/** What a client replies: a text, or to a dialog one of its options or that there will be no answer. */
export interface ReplyInput {
  message?: string;
  optionId?: string;
  cancelled?: boolean;
}

/** What became of a reply. */
export interface ReplyOutcome {
  item: ItemRecord;
  delivery: "answered" | "sent" | "queued";
  /** The task in the agent's queue; `null` for the answer of a dialog. */
  taskId: string | null;
}

/** What replies stand on. */
export interface RepliesHost {
  items: Items;
  messages(): AgentMessages | undefined;
  /** Aborts when the plugin stops. A client that leaves does not take its reply back. */
  signal: AbortSignal;
}

const LONGEST_ANSWER = 300;

/** Codes of the agents plugin that say that nobody is there to take what was sent. */
const AGENT_GONE = "AGENT_NOT_FOUND";
/** The session cannot be continued: it is lost, or the CLI continues none. */
const SESSION_GONE: readonly string[] = [
  "AGENT_SESSION_UNKNOWN",
  "AGENT_UNSUPPORTED",
];
const DIALOG_GONE: readonly string[] = ["DIALOG_CLOSED", AGENT_GONE];

/** Sends replies to agents: as answers to their dialogs, or as messages that follow what they said. */
export function createReplies({ items, messages, signal }: RepliesHost) {
  function reach(): AgentMessages {
    const found = messages();
    if (!found)
      throw errors.INBOX_AGENTS_MISSING({ service: AgentMessages.id });
    return found;
  }

  async function answer(
    item: ItemRecord,
    dialog: NonNullable<ItemRecord["dialog"]>,
    input: ReplyInput,
  ) {
    const { message, optionId, cancelled } = input;
    try {
      await reach().answerDialog(
        {
          agentId: dialog.agentId,
          dialogId: dialog.id,
          optionId,
          value: message,
          cancelled,
        },
        signal,
      );
    } catch (cause) {
      if (!isGantryError(cause) || !DIALOG_GONE.includes(cause.code))
        throw cause;
      await settleDialog(items, item, null);
      throw errors.INBOX_DIALOG_CLOSED({ id: item.id }, { cause });
    }
    const label = dialog.options.find(({ id }) => id === optionId)?.label;
    const words =
      label ?? (message === undefined ? null : cut(message, LONGEST_ANSWER));
    // The agent's own event says the same later, or already did; a crash in between loses nothing.
    const settled = await settleDialog(items, item, words);
    return {
      item: settled ?? item,
      delivery: "answered",
      taskId: null,
    } as const;
  }

  async function send(
    item: ItemRecord,
    agentId: string,
    message: string,
  ): Promise<ReplyOutcome> {
    try {
      const sessionId = item.run?.sessionId ?? undefined;
      const sent = await reach().prompt(
        { agentId, sessionId, message, kind: "follow_up", source: "inbox" },
        signal,
      );
      const seen = await items.change(item.id, (current) =>
        current.state === "unread" ? { ...current, state: "read" } : undefined,
      );
      return { item: seen ?? item, ...sent };
    } catch (cause) {
      if (!isGantryError(cause)) throw cause;
      const { id } = item;
      if (cause.code === AGENT_GONE)
        throw errors.INBOX_RECIPIENT_GONE({ id }, { cause });
      if (SESSION_GONE.includes(cause.code))
        throw errors.INBOX_SESSION_GONE({ id }, { cause });
      throw cause;
    }
  }

  /**
   * Replies to an item.
   *
   * @throws `INBOX_ITEM_NOT_FOUND`, `INBOX_REPLY_INVALID`, `INBOX_DIALOG_CLOSED`, `INBOX_NO_RECIPIENT`,
   * `INBOX_RECIPIENT_GONE`, `INBOX_SESSION_GONE`, `INBOX_AGENTS_MISSING`, and what the agents plugin refuses
   */
  return async function reply(
    id: string,
    input: ReplyInput,
  ): Promise<ReplyOutcome> {
    const item = await items.get(id);
    if (!item) throw errors.INBOX_ITEM_NOT_FOUND({ id });
    const { dialog, agentId } = item;
    checkParts(input, dialog !== null);
    if (dialog) {
      if (!dialog.open) throw errors.INBOX_DIALOG_CLOSED({ id });
      return answer(item, dialog, input);
    }
    if (agentId === null) throw errors.INBOX_NO_RECIPIENT({ id });
    return send(item, agentId, input.message ?? "");
  };
}

function checkParts(
  { message, optionId, cancelled }: ReplyInput,
  isDialog: boolean,
): void {
  const given = [
    message !== undefined,
    optionId !== undefined,
    cancelled === true,
  ];
  if (!isDialog && (given[1] || given[2] || message === undefined)) {
    throw errors.INBOX_REPLY_INVALID({
      reason:
        'No question is open here; give a text in "message" and nothing else.',
    });
  }
  if (given.filter(Boolean).length !== 1) {
    throw errors.INBOX_REPLY_INVALID({
      reason: 'Give one of "optionId", "message" and "cancelled": true.',
    });
  }
}
