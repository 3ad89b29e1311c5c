import type { CallRefusal } from "../call-refusal.ts";

/** A message to an agent: an answer or an event. */
export interface AgentMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: CallRefusal };
}
