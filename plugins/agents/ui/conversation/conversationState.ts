import type {
  AgentDialog,
  AgentUsage,
  Entry,
  ListOf,
  RunningTool,
  Snapshot,
  StreamMessage,
  StreamMessages,
} from "../wire.ts";

/** An unfinished text or tool call; `id` is that of its future entry. */
export type Growing =
  | { type: "text" | "thinking"; id: string; text: string }
  | { type: "tool"; id: string; tool: RunningTool };

/** The turn in progress. */
export interface LiveTurn {
  id: string;
  /** Ms since 1970; by the daemon's clock if the turn started before this page connected, otherwise by the browser's. */
  startedAt: number;
  usage: AgentUsage | null;
}

/** The loaded part of a conversation, with what is unfinished at its end. Immutable. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Entries from the stream since its last snapshot, kept until a page shows where they belong. */
  readonly fresh: readonly Entry[];
  /** Whether a page was loaded since the last snapshot, so that there is no gap before the entries of the stream. */
  readonly settled: boolean;
  /** Cursor of the older entries; `null` if there are none, `undefined` until a page is loaded. */
  readonly older: string | null | undefined;
  readonly turn: LiveTurn | null;
  /** In order of appearance. */
  readonly growing: readonly Growing[];
  readonly dialogs: readonly AgentDialog[];
}

/** The state before anything is loaded. */
export const emptyConversation: ConversationState = {
  entries: [],
  fresh: [],
  settled: false,
  older: undefined,
  turn: null,
  growing: [],
  dialogs: [],
};

/** Maximum length of an unfinished text, as on the server. */
const MAX_TEXT_LENGTH = 256 * 1024;

/** All loaded entries, oldest first. */
export function entriesOf(state: ConversationState): readonly Entry[] {
  if (state.fresh.length === 0) return state.entries;
  const known = new Set(state.entries.map(({ id }) => id));
  return [...state.entries, ...state.fresh.filter(({ id }) => !known.has(id))];
}

/** Applies a message of the stream. `now` is in ms since 1970. */
export function applyMessage(
  state: ConversationState,
  message: StreamMessage,
  now: number,
): ConversationState {
  switch (message.event) {
    case "snapshot":
      return applySnapshot(state, message.data);
    case "turn-started": {
      const { turnId: id } = message.data;
      return {
        ...state,
        turn: { id, startedAt: now, usage: null },
        growing: [],
      };
    }
    case "delta":
      return { ...state, growing: grow(state.growing, message.data) };
    case "tool":
      return { ...state, growing: putTool(state.growing, message.data) };
    case "tool-output":
      return { ...state, growing: growTool(state.growing, message.data) };
    case "entry":
      return applyEntry(state, message.data);
    case "usage": {
      const { turnId, usage } = message.data;
      return state.turn?.id === turnId
        ? { ...state, turn: { ...state.turn, usage } }
        : state;
    }
    case "dialog-opened":
      return {
        ...state,
        dialogs: [
          ...state.dialogs.filter(({ id }) => id !== message.data.id),
          message.data,
        ],
      };
    case "dialog-closed":
      return {
        ...state,
        dialogs: state.dialogs.filter(({ id }) => id !== message.data.dialogId),
      };
    case "turn-ended":
      return state.turn?.id === message.data.turnId
        ? { ...state, turn: null, growing: [] }
        : state;
    default:
      return state;
  }
}

/** Applies the newest page. Only one that was requested after the last snapshot settles the conversation. */
export function applyNewestPage(
  state: ConversationState,
  page: ListOf<Entry>,
  requestedAfterSnapshot: boolean,
): ConversationState {
  // A response that was overtaken by one to a later request.
  if (state.settled && !requestedAfterSnapshot) return state;
  const newest = page.items.toReversed();
  const at = newest[0]
    ? state.entries.findLastIndex(({ id }) => id === newest[0]?.id)
    : -1;
  // Without an overlap there is a gap between the two: older entries are dropped, and loaded again on scrolling.
  const joined = at >= 0 || containsAll(newest, state.entries);
  const entries = [...(at > 0 ? state.entries.slice(0, at) : []), ...newest];
  const older = joined && at > 0 ? state.older : page.nextCursor;
  const next = { ...state, entries, older };
  if (!requestedAfterSnapshot) return next;
  return { ...next, entries: entriesOf(next), fresh: [], settled: true };
}

/** Discards the entries when another branch becomes current, until its entries are loaded. */
export function applyBranch(state: ConversationState): ConversationState {
  return { ...state, entries: [], fresh: [], older: undefined };
}

/** Applies a page of older entries that ends where the loaded ones begin. */
export function applyOlderPage(
  state: ConversationState,
  page: ListOf<Entry>,
  cursor: string,
): ConversationState {
  // The conversation was reloaded meanwhile, so the page no longer fits.
  if (state.older !== cursor) return state;
  return {
    ...state,
    entries: [...page.items.toReversed(), ...state.entries],
    older: page.nextCursor,
  };
}

function applySnapshot(
  state: ConversationState,
  { turn, dialogs }: Snapshot,
): ConversationState {
  return {
    ...state,
    // Where these belong is unknown; the next page has them.
    fresh: [],
    settled: false,
    dialogs,
    turn: turn && {
      id: turn.id,
      startedAt: Date.parse(turn.startedAt),
      usage: turn.usage,
    },
    growing: [
      ...(turn?.texts ?? []).map(({ kind, entryId, text }) => ({
        type: kind,
        id: entryId,
        text,
      })),
      ...(turn?.tools ?? []).map(toGrowingTool),
    ],
  };
}

function applyEntry(state: ConversationState, entry: Entry): ConversationState {
  const growing = state.growing.some(({ id }) => id === entry.id)
    ? state.growing.filter(({ id }) => id !== entry.id)
    : state.growing;
  if (!state.settled)
    return { ...state, growing, fresh: [...state.fresh, entry] };
  // A page that was loaded at the same time may have it already.
  const known = state.entries.findLastIndex(({ id }) => id === entry.id) >= 0;
  return known
    ? { ...state, growing }
    : { ...state, growing, entries: [...state.entries, entry] };
}

function grow(
  growing: readonly Growing[],
  piece: { entryId: string; kind: "text" | "thinking"; text: string },
): readonly Growing[] {
  const at = growing.findIndex(({ id }) => id === piece.entryId);
  const before = growing[at];
  const text = `${before && before.type !== "tool" ? before.text : ""}${piece.text}`;
  const next: Growing = {
    type: piece.kind,
    id: piece.entryId,
    text: text.slice(0, MAX_TEXT_LENGTH),
  };
  return at < 0 ? [...growing, next] : growing.with(at, next);
}

function putTool(
  growing: readonly Growing[],
  tool: RunningTool,
): readonly Growing[] {
  // A CLI that reuses the id of a call has abandoned the first one.
  const at = growing.findIndex(
    (one) => one.type === "tool" && one.tool.callId === tool.callId,
  );
  const next = toGrowingTool(tool);
  return at < 0 ? [...growing, next] : growing.with(at, next);
}

function growTool(
  growing: readonly Growing[],
  { entryId, text, isWhole }: StreamMessages["tool-output"],
): readonly Growing[] {
  const at = growing.findIndex(({ id }) => id === entryId);
  const before = growing[at];
  if (before?.type !== "tool") return growing;
  const { tool } = before;
  // Readers look at the end; the entry has the whole output.
  const output = `${isWhole ? "" : tool.output}${text}`.slice(-MAX_TEXT_LENGTH);
  return growing.with(at, toGrowingTool({ ...tool, output }));
}

function toGrowingTool(tool: RunningTool): Growing {
  return { type: "tool", id: tool.entryId, tool };
}

function containsAll(
  entries: readonly Entry[],
  others: readonly Entry[],
): boolean {
  const ids = new Set(entries.map(({ id }) => id));
  return others.every(({ id }) => ids.has(id));
}
