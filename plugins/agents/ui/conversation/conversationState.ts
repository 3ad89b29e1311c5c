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

/** Something that is not finished, and will be the entry of this id. */
export type Growing =
  | { type: "text" | "thinking"; id: string; text: string }
  | { type: "tool"; id: string; tool: RunningTool };

/** The turn that runs. */
export interface LiveTurn {
  id: string;
  /** Ms since 1970 by this browser's clock, or the daemon's where that is all that is known. */
  startedAt: number;
  usage: AgentUsage | null;
}

/** A conversation as far as it was read, and what is growing at its end. Never changed, only replaced. */
export interface ConversationState {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** Entries that the stream gave since its last snapshot, until a page tells where they belong. */
  readonly fresh: readonly Entry[];
  /** Whether a page was read since the last snapshot, so that nothing is missing before what the stream gives. */
  readonly settled: boolean;
  /** Where older entries begin; `null` if there are none, `undefined` while nothing was read. */
  readonly older: string | null | undefined;
  readonly turn: LiveTurn | null;
  /** In the order in which they appeared. */
  readonly growing: readonly Growing[];
  readonly dialogs: readonly AgentDialog[];
}

/** What is known before anything was read. */
export const emptyConversation: ConversationState = {
  entries: [],
  fresh: [],
  settled: false,
  older: undefined,
  turn: null,
  growing: [],
  dialogs: [],
};

/** As long as the server lets a text grow. */
const longestText = 256 * 1024;

/** Everything that can be shown, oldest first. */
export function entriesOf(state: ConversationState): readonly Entry[] {
  if (state.fresh.length === 0) return state.entries;
  const known = new Set(state.entries.map(({ id }) => id));
  return [...state.entries, ...state.fresh.filter(({ id }) => !known.has(id))];
}

/** Takes a message of the stream. `now` is in ms since 1970. */
export function takeMessage(
  state: ConversationState,
  message: StreamMessage,
  now: number,
): ConversationState {
  switch (message.event) {
    case "snapshot":
      return takeSnapshot(state, message.data);
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
      return takeEntry(state, message.data);
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

/** Takes the newest page, which has to be asked for after the last snapshot to settle the conversation. */
export function takeNewestPage(
  state: ConversationState,
  page: ListOf<Entry>,
  askedAfterSnapshot: boolean,
): ConversationState {
  // It was asked for before one that came first.
  if (state.settled && !askedAfterSnapshot) return state;
  const newest = page.items.toReversed();
  const at = newest[0]
    ? state.entries.findLastIndex(({ id }) => id === newest[0]?.id)
    : -1;
  // Without an overlap something between the two is missing: what was read before is read again when it is scrolled to.
  const joined = at >= 0 || containsAll(newest, state.entries);
  const entries = [...(at > 0 ? state.entries.slice(0, at) : []), ...newest];
  const older = joined && at > 0 ? state.older : page.nextCursor;
  const next = { ...state, entries, older };
  if (!askedAfterSnapshot) return next;
  return { ...next, entries: entriesOf(next), fresh: [], settled: true };
}

/** The conversation continues in another place: all of it is read again. What is shown stays until then. */
export function takeBranch(state: ConversationState): ConversationState {
  return { ...state, entries: [], fresh: [], older: undefined };
}

/** Takes a page that ends where the entries that are known begin. */
export function takeOlderPage(
  state: ConversationState,
  page: ListOf<Entry>,
  cursor: string,
): ConversationState {
  // The conversation was read again meanwhile, so the page is outdated.
  if (state.older !== cursor) return state;
  return {
    ...state,
    entries: [...page.items.toReversed(), ...state.entries],
    older: page.nextCursor,
  };
}

function takeSnapshot(
  state: ConversationState,
  { turn, dialogs }: Snapshot,
): ConversationState {
  return {
    ...state,
    // Where these belong was never learnt; the page that is read next brings them.
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

function takeEntry(state: ConversationState, entry: Entry): ConversationState {
  const growing = state.growing.some(({ id }) => id === entry.id)
    ? state.growing.filter(({ id }) => id !== entry.id)
    : state.growing;
  if (!state.settled)
    return { ...state, growing, fresh: [...state.fresh, entry] };
  // A page that was read in this very moment may have brought it already.
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
    text: text.slice(0, longestText),
  };
  return at < 0 ? [...growing, next] : growing.with(at, next);
}

function putTool(
  growing: readonly Growing[],
  tool: RunningTool,
): readonly Growing[] {
  // A CLI that uses the name of a call again has given the first one up.
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
  // The end is what is looked at; the whole comes with the entry.
  const output = `${isWhole ? "" : tool.output}${text}`.slice(-longestText);
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
