/** Tokens of one response. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Why a response ended. */
export type StopReason = "end" | "tool" | "length" | "refusal";

/** One thing that a response does, in the order of the markers. */
export type Action =
  | { kind: "text"; text: string }
  | { kind: "think"; text: string }
  | { kind: "words"; count: number; pauseMs: number }
  | { kind: "recall" }
  | { kind: "gate"; name: string }
  | { kind: "hang" }
  | { kind: "drop" }
  | { kind: "error"; status: number; times: number; message: string }
  | { kind: "limit"; forSeconds: number }
  | { kind: "tool"; name: string; argument: string | Record<string, unknown> };

/** One response of the model: what it does up to and with a tool call, or to its end. */
export interface Step {
  actions: Action[];
  /** As scripted so far; `undefined` makes it up from the lengths. */
  usage: Usage | undefined;
  stop: StopReason | undefined;
}

const MARKER =
  /\[\[(reply|think|tool:bash|toolj|usage|long|gate|hang|error|limit|drop|recall|stop)(?::((?:(?!\]\])[\s\S])*))?\]\]/g;

/**
 * Reads the markers in a prompt. A tool call ends a step: what follows it is what the model says once the tool has
 * answered. A prompt without markers has no steps.
 *
 * @throws SyntaxError if the arguments in a `[[toolj:…]]` are not JSON.
 */
export function readScript(prompt: string): Step[] {
  const steps: Step[] = [];
  let step: Step | undefined;
  let usage: Usage | undefined;
  for (const [, name = "", argument = ""] of prompt.matchAll(MARKER)) {
    step ??= { actions: [], usage, stop: undefined };
    if (!steps.includes(step)) steps.push(step);
    if (name === "usage") {
      usage = toUsage(argument);
      step.usage = usage;
    } else if (name === "stop") {
      step.stop = argument === "refusal" ? "refusal" : "length";
    } else {
      const action = toAction(name, argument);
      step.actions.push(action);
      if (action.kind === "tool") step = undefined;
    }
  }
  return steps;
}

/** The prompt without its markers, short, for an answer that names it. */
export function withoutMarkers(prompt: string): string {
  return prompt.replace(MARKER, "").replace(/\s+/g, " ").trim().slice(0, 60);
}

function toAction(name: string, argument: string): Action {
  const [first = "", second = "", ...rest] = argument.split(":");
  switch (name) {
    case "reply":
      return { kind: "text", text: argument };
    case "think":
      return { kind: "think", text: argument };
    case "long":
      return { kind: "words", count: Number(first), pauseMs: Number(second) };
    case "gate":
      return { kind: "gate", name: argument };
    case "tool:bash":
      return { kind: "tool", name: "bash", argument };
    case "toolj": {
      const json = argument.slice(first.length + 1) || "{}";
      return {
        kind: "tool",
        name: first,
        argument: JSON.parse(json) as Record<string, unknown>,
      };
    }
    case "error":
      return {
        kind: "error",
        status: Number(first),
        times: second === "" ? Infinity : Number(second),
        message: rest.join(":") || "scripted error",
      };
    case "limit":
      return { kind: "limit", forSeconds: Number(first) };
    default:
      return { kind: name as "hang" | "drop" | "recall" };
  }
}

function toUsage(argument: string): Usage {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = argument
    .split(":")
    .map(Number);
  return { input, output, cacheRead, cacheWrite };
}
