import {
  isSideRequest,
  lastPrompt,
  type Conversation,
} from "./conversation.ts";
import {
  readScript,
  withoutMarkers,
  type Action,
  type Step,
  type Usage,
} from "./script.ts";

/** What the model is to do with a request. */
export interface Plan {
  side: boolean;
  prompt: string;
  /** Number of the response to this prompt. */
  step: number;
  actions: Action[];
  usage: Usage;
  stop: Step["stop"];
}

/**
 * Finds the response to a request. The server remembers nothing: how far a script has come is counted by the tool calls
 * since the prompt, so that a conversation that was resumed or forked continues at the right place.
 *
 * @throws SyntaxError for a script that cannot be read.
 */
export function planAnswer(conversation: Conversation): Plan {
  const side = isSideRequest(conversation);
  const { text: prompt, callsSince } = lastPrompt(conversation);
  const steps = side ? [] : readScript(prompt);
  // Each step but the last ends with exactly one call.
  const number = Math.min(callsSince, steps.length);
  const step = steps[number];
  const actions =
    step && speaks(step)
      ? step.actions
      : [...(step?.actions ?? []), fallback(side, prompt, steps)];
  const usage =
    step?.usage ?? steps.at(-1)?.usage ?? guessUsage(conversation, actions);
  return { side, prompt, step: number, actions, usage, stop: step?.stop };
}

function speaks({ actions }: Step): boolean {
  return actions.some(({ kind }) => kind !== "think" && kind !== "gate");
}

function fallback(
  side: boolean,
  prompt: string,
  steps: readonly Step[],
): Action {
  const words = withoutMarkers(prompt) || "(empty)";
  if (side) return { kind: "text", text: `Side answer (${words})` };
  return { kind: "text", text: steps.length > 0 ? "done" : `ok: ${words}` };
}

/** About four characters a token. */
function guessUsage(
  { system, turns }: Conversation,
  actions: readonly Action[],
): Usage {
  const heard = turns
    .map((turn) => ("text" in turn ? turn.text : turn.tool))
    .join("");
  const said = actions.map((action) => JSON.stringify(action)).join("");
  return {
    input: Math.ceil((system.length + heard.length) / 4),
    output: Math.ceil(said.length / 4),
    cacheRead: 0,
    cacheWrite: 0,
  };
}
