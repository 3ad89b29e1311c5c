import { setTimeout as sleep } from "node:timers/promises";
import type { Conversation } from "./conversation.ts";
import type { Gates } from "./gates.ts";
import type { Plan } from "./plan.ts";
import type { Reply } from "./reply.ts";
import type { ModelRequest } from "./request-log.ts";
import type { Action } from "./script.ts";
import { toToolCall } from "./tool-call.ts";
import { toPieces } from "./wires/wire.ts";

/** What answering a request needs beside its plan. */
export interface AnswerContext {
  conversation: Conversation;
  request: ModelRequest;
  reply: Reply;
  gates: Gates;
  /** How often this very response failed so far, this time included. */
  attempt: () => number;
  /** Tells the log that the request changed. */
  changed: () => void;
}

/** Plays a plan: each action in turn, until the end, a fault, or the client is gone. */
export async function playAnswer(
  plan: Plan,
  context: AnswerContext,
): Promise<void> {
  const { request, reply } = context;
  for (const action of plan.actions) {
    await play(action, context);
    if (reply.over) return;
  }
  reply.end(plan.stop ?? (request.calls.length > 0 ? "tool" : "end"));
}

async function play(action: Action, context: AnswerContext): Promise<void> {
  const { conversation, request, reply, gates } = context;
  switch (action.kind) {
    case "text":
      for (const piece of toPieces(action.text)) reply.text(piece);
      return;
    case "think":
      return reply.think(action.text);
    case "recall":
      return reply.text(recall(conversation));
    case "words":
      for (let index = 1; index <= action.count && !reply.over; index += 1) {
        reply.text(`w${index} `);
        await sleep(action.pauseMs, undefined, { signal: reply.gone }).catch(
          () => undefined,
        );
      }
      return;
    case "gate":
      request.gate = action.name;
      context.changed();
      await gates.pass(action.name, reply.gone);
      request.gate = undefined;
      return;
    case "hang":
      return reply.left;
    case "drop":
      return reply.drop();
    case "error":
      if (context.attempt() <= action.times)
        reply.fail(action.status, action.message);
      return;
    case "limit":
      return reply.limit(Math.ceil(Date.now() / 1000) + action.forSeconds);
    case "tool":
      return reply.call(
        toToolCall(action.name, action.argument, conversation.tools),
      );
  }
}

/** What the model was shown of the user's words: proves a resume, a fork, a compaction. */
function recall({ turns }: Conversation): string {
  const said = turns
    .filter((turn) => turn.kind === "user")
    .map(({ text }) => text.slice(0, 120));
  return `recall ${JSON.stringify(said)}`;
}
