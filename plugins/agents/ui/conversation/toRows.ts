import { findElement } from "../tools/findElement.ts";
import type { AgentDialog } from "../wire.ts";
import type { Growing, LiveTurn } from "./conversationState.ts";
import type { Joint, Row, RowKind, Sending } from "./rows.ts";

/** What happens at the end of a conversation right now. */
export interface LiveEnd {
  turn: LiveTurn | null;
  growing: readonly Growing[];
  dialogs: readonly AgentDialog[];
  sending: readonly Sending[];
}

const work: ReadonlySet<RowKind> = new Set(["thinking", "tool", "asked"]);
const alone: Joint = { above: false, below: false };

/** Puts what is growing, asked and sent below what was said, and joins neighbouring rows of work. */
export function toRows(past: readonly Row[], live: LiveEnd): readonly Row[] {
  const end: Row[] = [
    ...live.growing.flatMap((growing) => toGrowingRow(growing, past) ?? []),
    ...live.sending.map((sending): Row => ({
      kind: "sending",
      key: sending.key,
      sending,
    })),
    ...live.dialogs.map((dialog, position): Row => ({
      kind: "dialog",
      key: dialog.id,
      dialog,
      position,
    })),
  ];
  const { turn } = live;
  if (turn && live.dialogs.length === 0) {
    end.push({
      kind: "working",
      key: "working",
      startedAt: turn.startedAt,
      usage: turn.usage,
    });
  }
  const last = past.at(-1);
  // Joining looks at neighbours only: of the past its last row may change.
  return last
    ? [...past.slice(0, -1), ...join([last, ...end], past.at(-2))]
    : join(end, undefined);
}

/** Joins rows of work with those before and after them. */
export function join(rows: readonly Row[], before: Row | undefined): Row[] {
  return rows.map((row, index) => {
    if (!("joint" in row)) return row;
    const above = rows[index - 1] ?? before;
    const below = rows[index + 1];
    const joint = {
      above: above !== undefined && work.has(above.kind),
      below: below !== undefined && work.has(below.kind),
    };
    const same =
      joint.above === row.joint.above && joint.below === row.joint.below;
    return same ? row : { ...row, joint };
  });
}

/** What the tools of these rows gave, the newest first. */
export function* outputsOf(rows: readonly Row[]): Iterable<string> {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row?.kind === "tool") yield row.call.output;
  }
}

function toGrowingRow(growing: Growing, past: readonly Row[]): Row | undefined {
  const { id: key } = growing;
  if (growing.type === "tool") {
    const { name, title, input, output } = growing.tool;
    const element = findElement(input, outputsOf(past));
    const call = { name, title, input, element, output, truncated: false };
    return {
      kind: "tool",
      key,
      call: { ...call, state: "running" },
      joint: alone,
    };
  }
  if (growing.text.trim() === "") return undefined;
  const { text } = growing;
  return growing.type === "text"
    ? { kind: "answer", key, text, state: "growing", truncated: false }
    : { kind: "thinking", key, text, state: "growing", joint: alone };
}
