import { isGantryError } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { CONTINUE_OPTION } from "./contract.ts";
import { errors } from "./errors.ts";
import type { ItemRecord } from "./items/item-record.ts";
import type { Items } from "./items/items.ts";
import { cut } from "./items/texts.ts";
import { closeCutOff, noteContinued } from "./sources/cut-off-turns.ts";
import { settleDialog } from "./sources/dialogs.ts";

/**
 * What a client replies: a text; to a dialog, one of its options or that there will be no answer; to a turn that was cut off, that
 * it is to continue.
 */
export interface ReplyInput {
  message?: string;
  optionId?: string;
  cancelled?: boolean;
}

/** The result of a reply. */
export interface ReplyOutcome {
  item: ItemRecord;
  delivery: "answered" | "sent" | "queued";
  /** The task in the agent's queue; `null` for the answer to a dialog. */
  taskId: string | null;
}

/** Dependencies of {@link createReplies}. */
export interface RepliesHost {
  items: Items;
  messages(): AgentMessages | undefined;
  /** Aborts when the plugin stops. A client that leaves does not take its reply back. */
  signal: AbortSignal;
}

const MAX_ANSWER_LENGTH = 300;

/** The code of the agents plugin for an agent that was deleted. */
const AGENT_GONE = "AGENT_NOT_FOUND";
/** The session cannot be continued: it is lost, or the CLI continues none. */
const SESSION_GONE: readonly string[] = [
  "AGENT_SESSION_UNKNOWN",
  "AGENT_UNSUPPORTED",
];
/** The conversation was continued after the turn that was cut off. */
const TURN_GONE = "TURN_NOT_CUT_OFF";
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
      label ?? (message === undefined ? null : cut(message, MAX_ANSWER_LENGTH));
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

  async function continueTurn(
    item: ItemRecord,
    { turnId, agentId, open }: NonNullable<ItemRecord["cutOff"]>,
  ): Promise<ReplyOutcome> {
    const { id } = item;
    if (!open) throw errors.INBOX_TURN_RESUMED({ id });
    try {
      const { taskId } = await reach().continueTurn(
        { agentId, turnId },
        signal,
      );
      // The item is done when the agents plugin reports that the conversation was continued: until then the task may fail.
      const noted = await noteContinued(items, item, taskId);
      return { item: noted ?? item, delivery: "queued", taskId };
    } catch (cause) {
      const code = isGantryError(cause) ? cause.code : undefined;
      if (code !== AGENT_GONE && code !== TURN_GONE) throw cause;
      await closeCutOff(items, item);
      throw code === AGENT_GONE
        ? errors.INBOX_RECIPIENT_GONE({ id }, { cause })
        : errors.INBOX_TURN_RESUMED({ id }, { cause });
    }
  }

  /**
   * Replies to an item.
   *
   * @throws `INBOX_ITEM_NOT_FOUND`, `INBOX_REPLY_INVALID`, `INBOX_DIALOG_CLOSED`, `INBOX_TURN_RESUMED`,
   * `INBOX_NO_RECIPIENT`, `INBOX_RECIPIENT_GONE`, `INBOX_SESSION_GONE`, `INBOX_AGENTS_MISSING`, and what the agents
   * plugin refuses
   */
  return async function reply(
    id: string,
    input: ReplyInput,
  ): Promise<ReplyOutcome> {
    const item = await items.get(id);
    if (!item) throw errors.INBOX_ITEM_NOT_FOUND({ id });
    const { dialog, cutOff, agentId } = item;
    checkParts(input, item);
    if (dialog) {
      if (!dialog.open) throw errors.INBOX_DIALOG_CLOSED({ id });
      return answer(item, dialog, input);
    }
    if (cutOff && input.optionId !== undefined)
      return continueTurn(item, cutOff);
    if (agentId === null) throw errors.INBOX_NO_RECIPIENT({ id });
    return send(item, agentId, input.message ?? "");
  };
}

/** Refuses what is no reply to the item: exactly one part is given, and one that the item takes. */
function checkParts(
  { message, optionId, cancelled = false }: ReplyInput,
  { dialog, cutOff }: ItemRecord,
): void {
  const given = [message !== undefined, optionId !== undefined, cancelled];
  const isOne = given.filter(Boolean).length === 1;
  const [isTaken, reason] = dialog
    ? [true, 'Give one of "optionId", "message" and "cancelled": true.']
    : cutOff
      ? [
          message !== undefined || optionId === CONTINUE_OPTION,
          `Give "optionId": "${CONTINUE_OPTION}" or a text in "message".`,
        ]
      : [
          message !== undefined,
          'No question is open here; give a text in "message" and nothing else.',
        ];
  if (!isOne || !isTaken) throw errors.INBOX_REPLY_INVALID({ reason });
}
