import type { AgentUsage, Entry } from "../wire.ts";
import { findElement } from "../tools/findElement.ts";
import { join, outputsOf } from "./toRows.ts";
import type { Row, ToolCall } from "./rows.ts";

const alone = { above: false, below: false };
/** A turn that took no longer took no time worth telling. */
const shortestMs = 1_000;

/** What is put together of a turn while its entries pass. */
interface TurnSum {
  id: string;
  /** Its first entry was read, so that its figures are whole. */
  whole: boolean;
  startedAt: string;
  endedAt: string;
  usage: AgentUsage | null;
  answer: string;
}

/**
 * Turns entries into rows: figures are summed at the end of their turn, a line tells where a day begins,
 * and neighbouring rows of work are joined.
 *
 * @param runningTurn Id of the turn that runs; it has no end yet.
 * @param complete Whether the first entry is the first of the conversation.
 * @param changed Turns that changed files, by their id. Their end is always shown.
 */
export function foldEntries(
  entries: readonly Entry[],
  runningTurn: string | undefined,
  complete: boolean,
  changed: { has(turnId: string): boolean } = new Set(),
): Row[] {
  const rows: Row[] = [];
  let turn: TurnSum | undefined;
  let day: string | undefined;

  function endTurn(): void {
    if (turn && turn.id !== runningTurn)
      rows.push(...toTurnEnd(turn, changed.has(turn.id)));
    turn = undefined;
  }

  for (const [index, entry] of entries.entries()) {
    if (entry.turnId !== turn?.id) {
      endTurn();
      if (entry.turnId !== null)
        turn = beginTurn(entry, entry.turnId, index > 0 || complete);
    }
    const today = new Date(entry.at).toDateString();
    if (today !== day) {
      // The day of the oldest entry is known only when nothing comes before it.
      if (day !== undefined || complete)
        rows.push({ kind: "day", key: `day-${entry.id}`, at: entry.at });
      day = today;
    }
    if (turn) addToTurn(turn, entry);
    const row = toRow(entry, rows);
    if (row) rows.push(row);
  }
  endTurn();
  return join(rows, undefined);
}

function beginTurn(entry: Entry, id: string, whole: boolean): TurnSum {
  return {
    id,
    whole,
    startedAt: entry.at,
    endedAt: entry.at,
    usage: null,
    answer: "",
  };
}

function addToTurn(turn: TurnSum, entry: Entry): void {
  turn.endedAt = entry.at;
  if (entry.usage) turn.usage = addUsage(turn.usage, entry.usage);
  // The answer is what was said after the last tool.
  if (entry.kind === "tool") turn.answer = "";
  if (entry.kind === "text" && entry.role === "assistant")
    turn.answer = turn.answer ? `${turn.answer}\n\n${entry.text}` : entry.text;
}

/** The end of a turn, unless there is nothing to show. */
function toTurnEnd(turn: TurnSum, isChanged: boolean): Row[] {
  const usage = turn.whole ? turn.usage : null;
  const length = Date.parse(turn.endedAt) - Date.parse(turn.startedAt);
  const durationMs = turn.whole && length >= shortestMs ? length : null;
  const { id, answer } = turn;
  if (!usage && durationMs === null && answer === "" && !isChanged) return [];
  const key = `end-${id}`;
  return [{ kind: "turn-end", key, turnId: id, usage, durationMs, answer }];
}

function toRow(entry: Entry, before: readonly Row[]): Row | undefined {
  const { id: key, text } = entry;
  const state = entry.incomplete ? "stopped" : "done";
  switch (entry.kind) {
    case "text":
      if (entry.role === "user") return { kind: "message", key, entry };
      if (text.trim() === "") return undefined;
      return {
        kind: "answer",
        key,
        text,
        state,
        truncated: entry.truncated ?? false,
      };
    case "thinking":
      if (text.trim() === "") return undefined;
      return { kind: "thinking", key, text, state, joint: alone };
    case "tool":
      return { kind: "tool", key, call: toCall(entry, before), joint: alone };
    case "dialog":
      return { kind: "asked", key, entry, joint: alone };
    case "error":
      if (entry.cutOff) {
        const { turnId, at } = entry;
        return { kind: "cut-off", key, text, turnId, at };
      }
      return { kind: "error", key, text };
    case "notice":
      return { kind: "notice", key, text };
    case "usage":
      return undefined;
  }
}

function toCall(
  { tool, text, truncated, incomplete }: Entry,
  before: readonly Row[],
): ToolCall {
  return {
    name: tool?.name ?? "tool",
    title: tool?.title ?? "",
    input: tool?.input ?? "",
    element: findElement(tool?.input ?? "", outputsOf(before)),
    output: text,
    truncated: truncated ?? false,
    state: incomplete ? "stopped" : tool?.failed ? "failed" : "done",
  };
}

/** Adds up what is known; what neither knows stays unknown. */
export function addUsage(
  one: AgentUsage | null,
  other: AgentUsage,
): AgentUsage {
  const add = (left: number | null | undefined, right: number | null) =>
    left === null || left === undefined
      ? right
      : right === null
        ? left
        : left + right;
  return {
    inputTokens: add(one?.inputTokens, other.inputTokens),
    outputTokens: add(one?.outputTokens, other.outputTokens),
    costUsd: add(one?.costUsd, other.costUsd),
  };
}
