import { keepText, readKept } from "../agents/keptText.ts";

/** What a browser keeps of the next commit of an agent's changes. */
export interface KeptMessage {
  text: string;
  /** The task of the request for a message that the agent has not answered yet. */
  asked: string | undefined;
}

const keyOf = (agentId: string) => `gantry-agents-commit-${agentId}`;

/** Reads it as it was kept; what is wrong in it is left out. */
export function readMessage(agentId: string): KeptMessage {
  let kept: { text?: unknown; asked?: unknown };
  try {
    kept = Object(JSON.parse(readKept(keyOf(agentId)) ?? "{}"));
  } catch {
    kept = {};
  }
  const { text, asked } = kept;
  return {
    text: typeof text === "string" ? text : "",
    asked: typeof asked === "string" ? asked : undefined,
  };
}

/** Keeps it, or forgets it where there is nothing in it. */
export function keepMessage(agentId: string, kept: KeptMessage): void {
  const isEmpty = kept.text === "" && kept.asked === undefined;
  keepText(keyOf(agentId), isEmpty ? undefined : JSON.stringify(kept));
}

/** Forgets the message of an agent that is gone. */
export function forgetMessage(agentId: string): void {
  keepText(keyOf(agentId), undefined);
}
