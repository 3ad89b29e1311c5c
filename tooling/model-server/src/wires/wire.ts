import { randomBytes } from "node:crypto";
import type { Conversation } from "../conversation.ts";
import type { Json } from "../json.ts";
import type { StopReason, Usage } from "../script.ts";
import type { ToolCall } from "../tool-call.ts";

/** What every message of an answer names. */
export interface AnswerHead {
  model: string;
  usage: Usage;
}

/** A whole answer. */
export interface Answer {
  thinking: string;
  text: string;
  calls: readonly ToolCall[];
  stop: StopReason;
}

/** Writes one answer piece by piece. */
export interface AnswerStream {
  begin(): void;
  think(text: string): void;
  text(text: string): void;
  call(call: ToolCall): void;
  end(stop: StopReason): void;
}

/** Sends one server-sent event. */
export type SendEvent = (data: Json | string, event?: string) => void;

/** Protocols of providers by name. */
export type WireName =
  "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

/** A provider's protocol. */
export interface Wire {
  readonly name: WireName;
  read(body: Json): Conversation;
  stream(head: AnswerHead, send: SendEvent): AnswerStream;
  whole(head: AnswerHead, answer: Answer): Json;
  /** The body of an HTTP error. Clients choose by its type what to try again. */
  fault(status: number, message: string): Json;
  /** How it says that a subscription's usage limit is reached until `resetsAt`, in seconds since 1970. */
  limit?(resetsAt: number): { headers: Record<string, string>; body: Json };
}

/** Makes an id as providers do. */
export function createId(prefix: string): string {
  return prefix + randomBytes(9).toString("hex");
}

/** Cuts a text as a model streams it: word by word. */
export function toPieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** Cuts encoded arguments into pieces that break JSON in the middle, as streams do. */
export function toFragments(json: string): string[] {
  return json.match(/[\s\S]{1,24}/g) ?? [];
}
