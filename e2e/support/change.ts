import type { Answer } from "./api-client.ts";

/** An operation that changes what is stored. */
export interface Change {
  /** As the OpenAPI document has it. */
  operation: string;
  /** Type of the event that reports it; `null` for a change without an event. */
  event: string | null;
  /** Makes what is to be changed, then gives how it is changed. */
  prepare(): Promise<() => Promise<Answer>>;
}
