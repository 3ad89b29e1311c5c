/** One thing that a prompt tells the practice agent to do. */
export type Step =
  | { type: "reply"; text: string }
  | { type: "think"; text: string }
  | { type: "run"; command: string }
  | { type: "tool"; name: string; input: string }
  | { type: "tools" }
  | { type: "ask"; title: string }
  | { type: "cost"; usd: number }
  | { type: "context"; used: number; size: number }
  | { type: "sleep"; ms: number }
  | { type: "long"; words: number; ms: number }
  | { type: "plan"; steps: string[] }
  | { type: "recall" }
  | { type: "fail"; text: string }
  | { type: "crash" };

const MARKER =
  /\[\[(reply|think|run|tools|tool|ask|cost|context|sleep|long|plan|recall|fail|crash)(?::((?:(?!\]\])[\s\S])*))?\]\]/g;

/** What came from outside, as automations fence it: up to the line with the same number, which it cannot contain. */
const UNTRUSTED =
  /^----- BEGIN UNTRUSTED DATA ([0-9a-f]{32}) -----$[\s\S]*?^----- END UNTRUSTED DATA \1 -----$/gm;

/**
 * The steps that the markers of a prompt stand for, left to right. Text between them means nothing, and data that is marked as
 * untrusted is ignored: a client that may call a webhook may not run commands by that.
 */
export function readScript(prompt: string): Step[] {
  return [...prompt.replace(UNTRUSTED, "").matchAll(MARKER)].map(
    ([, name, argument = ""]) => toStep(name ?? "", argument),
  );
}

function toStep(name: string, argument: string): Step {
  switch (name) {
    case "run":
      return { type: "run", command: argument };
    case "tool": {
      const [, tool = "", input = ""] = /^([^:]*):?([\s\S]*)$/.exec(argument)!;
      return { type: "tool", name: tool, input };
    }
    case "ask":
      return { type: "ask", title: argument || "May I?" };
    case "cost":
      return { type: "cost", usd: toNumber(argument) };
    case "context": {
      const [used = "", size = ""] = argument.split(":");
      return { type: "context", used: toNumber(used), size: toNumber(size) };
    }
    case "sleep":
      return { type: "sleep", ms: toNumber(argument) };
    case "long": {
      const [words = "", ms = ""] = argument.split(":");
      return { type: "long", words: toNumber(words), ms: toNumber(ms) };
    }
    case "plan":
      return { type: "plan", steps: toSteps(argument) };
    case "tools":
    case "recall":
    case "crash":
      return { type: name };
    case "think":
    case "fail":
      return { type: name, text: argument };
    default:
      return { type: "reply", text: argument };
  }
}

/** The steps of a plan, as they stand between semicolons. */
export function toSteps(text: string): string[] {
  return text
    .split(";")
    .map((step) => step.trim())
    .filter(Boolean);
}

function toNumber(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : 0;
}
