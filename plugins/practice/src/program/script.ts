/** One action that a prompt requests from the practice agent. */
export type Step =
  | { type: "reply"; text: string }
  | { type: "think"; text: string }
  | { type: "run"; command: string }
  | { type: "ask"; title: string }
  | { type: "cost"; usd: number }
  | { type: "sleep"; ms: number }
  | { type: "long"; words: number; ms: number }
  | { type: "plan"; steps: string[] }
  | { type: "tool"; name: string; input: string }
  | { type: "tools" }
  | { type: "recall" }
  | { type: "fail"; text: string }
  | { type: "crash" };

const MARKER =
  /\[\[(reply|think|run|tools|tool|ask|cost|sleep|long|plan|recall|fail|crash)(?::((?:(?!\]\])[\s\S])*))?\]\]/g;

/** External data as automations mark it: up to the line with the same number, which the data cannot contain. */
const UNTRUSTED =
  /^----- BEGIN UNTRUSTED DATA ([0-9a-f]{32}) -----$[\s\S]*?^----- END UNTRUSTED DATA \1 -----$/gm;

/**
 * The steps for the markers of a prompt, left to right. Text between them is ignored, and so are markers in data that
 * is marked as untrusted: a webhook's caller must not be able to run commands.
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
    case "ask":
      return { type: "ask", title: argument || "May I?" };
    case "cost":
      return { type: "cost", usd: toNumber(argument) };
    case "sleep":
      return { type: "sleep", ms: toNumber(argument) };
    case "long": {
      const [words = "", ms = ""] = argument.split(":");
      return { type: "long", words: toNumber(words), ms: toNumber(ms) };
    }
    case "plan":
      return { type: "plan", steps: toSteps(argument) };
    case "tool": {
      const [, tool = "", input = ""] = /^([^:]*):?([\s\S]*)$/.exec(argument)!;
      return { type: "tool", name: tool, input };
    }
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

/** The steps of a plan, separated by semicolons. */
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
