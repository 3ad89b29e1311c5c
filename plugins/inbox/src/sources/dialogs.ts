import type { EventRecord } from "@gantry/plugin";
import type { AgentDialog } from "@gantry/plugin-agents/contract";
import type { Entry, Intake } from "../items/intake.ts";
import type { ItemRecord } from "../items/item-record.ts";
import type { Items } from "../items/items.ts";
import type { Serial } from "../items/serial.ts";
import { fitsTitle, toCodeBlock, toParagraphs } from "../items/texts.ts";
import type { Marker, Markers } from "./markers.ts";

/** Dependencies of {@link createDialogItems}. */
export interface DialogsHost {
  items: Items;
  intake: Intake;
  serial: Serial;
  /** Dialogs that were closed before their item was made. */
  closed: Markers;
  /** Agents that were deleted. */
  gone: Markers;
}

type Opened = EventRecord<AgentDialog & { agentName: string }>;
type Closed = EventRecord<{ dialogId: string; answer: string | null }>;

/**
 * Keeps an item for each dialog, blocking while it is open. The events that open and close dialogs and delete agents are
 * delivered concurrently, so each handler works in any order; and only the first write of a handler is certain to
 * happen, so each has one that matters.
 */
export interface DialogItems {
  opened(event: Opened): Promise<void>;
  closed(event: Closed): Promise<void>;
}

/** Makes the handlers. */
export function createDialogItems({
  items,
  intake,
  serial,
  closed,
  gone,
}: DialogsHost): DialogItems {
  return {
    opened: (event) =>
      intake
        .add(async () => {
          const marker =
            (await closed.get(event.data.id)) ??
            (await gone.get(event.data.agentId));
          return toEntry(event, marker);
        })
        .then(() => {}),
    closed: ({ data }) =>
      serial(async () => {
        const item = await items.ofDialog(data.dialogId);
        if (item) await settleDialog(items, item, data.answer);
        else await closed.put(data.dialogId, { answer: data.answer });
      }),
  };
}

/** Marks the item of a dialog as done, with the answer if there was one. */
export function settleDialog(
  items: Items,
  item: ItemRecord,
  answer: string | null,
): Promise<ItemRecord | undefined> {
  return items.change(item.id, (current) => {
    const { dialog } = current;
    if (
      !dialog ||
      (!dialog.open && (answer === null || dialog.answer !== null))
    )
      return undefined;
    return {
      ...current,
      state: "done",
      dialog: { ...dialog, open: false, answer },
    };
  });
}

function toEntry(
  { data, at, id: sequence }: Opened,
  ended: Marker | undefined,
): Entry {
  const { agentName, ...dialog } = data;
  const { id, agentId, options, takesText } = dialog;
  const title = fitsTitle(dialog.title) ? "" : dialog.title;
  // What is to be allowed is mostly a command, in which every sign counts; what is asked is mostly a sentence.
  const toText = dialog.kind === "permission" ? toCodeBlock : toParagraphs;
  const text = [title, dialog.body].filter(Boolean).join("\n\n");
  return {
    kind: dialog.kind === "permission" ? "approval" : "question",
    title: dialog.title || `${agentName} waits for an answer`,
    body: text && toText(text),
    source: { type: "agent", id: agentId, name: agentName },
    blocking: true,
    state: ended ? "done" : "unread",
    agentId,
    dialog: {
      id,
      agentId,
      options,
      takesText,
      open: !ended,
      answer: ended?.answer ?? null,
    },
    at,
    sequence,
  };
}
