import type { Inspect, Outcome } from "@gantry/kernel";
import { isGantryError } from "@gantry/plugin";
import { findInside } from "./find-inside.ts";

/** Members of an answer that contain the reason for a state. */
const REASONS = new Set(["reason", "problem", "error"]);

/** Dependencies of {@link inspectAnswers}. */
interface InspectHost {
  /** Reports an answer that is wrong. */
  fault(text: string): void;
  home: string;
}

/**
 * Compares what operations answer with the reference: an answer must fit its schema, the code of an error must be declared,
 * and no reason may reveal internals.
 *
 * @returns rejects for an answer that does not fit its schema
 */
export function inspectAnswers(host: InspectHost): Inspect {
  return async (outcome) => {
    if (outcome.error !== undefined) inspectError(host, outcome);
    else await inspectAnswer(host, outcome);
  };
}

function inspectError({ fault, home }: InspectHost, outcome: Outcome): void {
  const { error, request } = outcome;
  if (!isGantryError(error)) return;
  const { code, message, extras } = error;
  const name = nameOf(outcome);
  if (!outcome.codes().includes(code))
    fault(`${name} answered ${code}, which it does not declare`);
  // What a client sent may be repeated to it.
  const { search, body } = request;
  const sent = [...textsIn([[...search.values()], body])].join("\n");
  for (const text of [message, ...textsIn([extras.errors, extras.members])]) {
    const inside = findInside(text, home, sent);
    if (inside) fault(`${name} answered ${code} with ${inside}: ${text}`);
  }
}

async function inspectAnswer(
  { fault, home }: InspectHost,
  outcome: Outcome,
): Promise<void> {
  const { answer, definition } = outcome;
  const { returns } = definition;
  if (typeof returns === "string") return;
  const result = await returns["~standard"].validate(answer);
  if (result.issues) {
    const issues = result.issues.map(
      ({ path = [], message }) => `${path.map(toName).join(".")}: ${message}`,
    );
    throw new Error(
      `${nameOf(outcome)} answered what its schema does not say: ${issues.join("; ")}`,
    );
  }
  for (const text of textsIn(answer, (key) => REASONS.has(key))) {
    const inside = findInside(text, home);
    if (inside)
      fault(`${nameOf(outcome)} gave a reason with ${inside}: ${text}`);
  }
}

const toName = (part: PropertyKey | { readonly key: PropertyKey }) =>
  String(typeof part === "object" ? part.key : part);

const nameOf = ({ definition: { method, path } }: Outcome) =>
  `${method} ${path}`;

/** All texts in a value, or those of the members that are wanted and of what is in them. */
function* textsIn(
  value: unknown,
  isWanted: (key: string) => boolean = () => true,
): Generator<string> {
  if (typeof value === "string") return yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (isWanted(key)) yield* textsIn(part);
    else if (typeof part === "object") yield* textsIn(part, isWanted);
  }
}
