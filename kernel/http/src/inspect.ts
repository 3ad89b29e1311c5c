import type { RouteDefinition, RouteRequest } from "@gantry/plugin";
import { errorCodesOf } from "./describe-operations.ts";
import type { RouteRecord } from "./route-table.ts";

/** How an operation ended, before the client is notified of it. */
export interface Outcome {
  readonly definition: RouteDefinition;
  /** With what the client sent, once it is read. */
  readonly request: RouteRequest;
  /** What it answers; `undefined` for an error, a stream and bytes. */
  readonly answer?: unknown;
  /** What it threw. */
  readonly error?: unknown;
  /** Codes of all errors that it may answer. */
  codes(): readonly string[];
}

/** Looks at each outcome. What it throws is answered in its place. */
export type Inspect = (outcome: Outcome) => void | Promise<void>;

/** Describes how an operation ended. */
export function toOutcome(
  record: RouteRecord,
  request: RouteRequest,
  ended: Pick<Outcome, "answer" | "error">,
): Outcome {
  const { definition } = record;
  return {
    definition,
    request,
    codes: () => errorCodesOf(record),
    ...ended,
  };
}

/** Runs an operation and has an error that it throws looked at. */
export async function inspectErrors(
  inspect: Inspect,
  record: RouteRecord,
  request: RouteRequest,
  operation: () => Promise<void>,
): Promise<void> {
  try {
    await operation();
  } catch (error) {
    await inspect(toOutcome(record, request, { error }));
    throw error;
  }
}
