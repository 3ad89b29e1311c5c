import { expect } from "vitest";
import type { RawAnswer } from "../../../kernel/core/test/support/raw-http.ts";
import { findInside } from "../../../kernel/testing/src/find-inside.ts";
import { findUndeclared } from "../../support/declared-codes.ts";
import type { World } from "../world/world.ts";
import type { Outcome, Trial } from "./row.ts";

const AT_ONCE = 6;
/** More would not be read. */
const MAX_SHOWN = 12;

const MAX_BODY_SHOWN = 400;

/** Members that a problem may have (RFC 9457 and ours). */
const MEMBERS = new Set([
  "type",
  "title",
  "status",
  "detail",
  "code",
  "errors",
  "requestId",
]);

/** Words of the inside: stacks, errnos, modules, and the text that the target's faults carry. */
const INNARDS =
  /canary-innards|canaryFunction|node_modules|node:[a-z]|\n\s+at |\bE[A-Z]{4,}\b: |sqlite/i;

/** Makes all requests of a row and reports each that has another outcome than expected. */
export async function makeTrials(
  world: World,
  trials: Iterable<Trial>,
): Promise<number> {
  const wrong: string[] = [];
  let count = 0;
  const queue = trials[Symbol.iterator]();
  const work = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      count++;
      const { name, send, expect: outcome } = next.value;
      try {
        judge(world, await world.ask(send), outcome, send);
      } catch (error) {
        wrong.push(`${name}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (wrong.length > 0) {
    const told = wrong.slice(0, MAX_SHOWN).join("\n\n");
    expect.fail(`${wrong.length} of ${count} came out otherwise:\n${told}`);
  }
  expect(count, "requests in this row").toBeGreaterThan(0);
  return count;
}

/** Headers that every answer has. */
const ALWAYS = [
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-resource-policy", "same-origin"],
] as const;

/**
 * Checks one answer, and what holds for every answer there is.
 *
 * @throws Error that tells what is wrong
 */
export function judge(
  world: World,
  answer: RawAnswer,
  outcome: Outcome,
  sent?: Trial["send"],
): void {
  // Thousands of answers are looked at, so this is plain code.
  const { status, body } = answer;
  const wrong = [...findLeaks(world, answer)];
  if ("accepted" in outcome) {
    if (status !== 200) wrong.push("it was refused");
  } else {
    if (![outcome.refused].flat().includes(status))
      wrong.push(`the status is not ${[outcome.refused].flat().join(" or ")}`);
    const isHead =
      typeof sent === "object" && "method" in sent && sent.method === "HEAD";
    if (!isHead) {
      wrong.push(...findProblemFaults(answer, outcome.code));
      wrong.push(...findOperationFaults(world, answer, sent));
    }
  }
  if (wrong.length > 0)
    throw new Error(
      `${wrong.join("; ")}: got ${status} ${body.slice(0, MAX_BODY_SHOWN)}`,
    );
  outcome.check?.(answer);
}

function* findLeaks(
  world: World,
  { headers, body, header }: RawAnswer,
): Generator<string> {
  for (const [name] of headers)
    if (/^(access-control-.*|x-powered-by|server)$/.test(name))
      yield `there is a header ${name}`;
  for (const [name, value] of ALWAYS)
    if (header(name) !== value) yield `the header ${name} is not "${value}"`;
  for (const [what, secret] of world.secrets)
    if (body.includes(secret)) yield `${what} is in the answer`;
}

/** An operation answers with no code but those that the document lists for it, and tells nothing of the machine. */
function* findOperationFaults(
  { codes, daemon }: World,
  { body }: RawAnswer,
  sent: Trial["send"] | undefined,
): Generator<string> {
  const problem = JSON.parse(body) as { code?: unknown; detail?: unknown };
  const {
    method = "GET",
    target = "/",
    body: sentBody = "",
  } = typeof sent === "object" && !(sent instanceof Uint8Array) ? sent : {};
  const code = String(problem.code);
  const undeclared = findUndeclared(codes, { method, target, code });
  if (undeclared) yield undeclared;
  const known = [target, decode(target), sentBody].join("\n");
  const inside = findInside(String(problem.detail), daemon.home, known);
  if (inside) yield `its detail has ${inside}`;
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target.replaceAll("+", " "));
  } catch {
    return "";
  }
}

/** A problem document tells what it must and nothing of the inside. */
function* findProblemFaults(
  answer: RawAnswer,
  code?: string | readonly string[],
): Generator<string> {
  if (answer.header("content-type") !== "application/problem+json")
    return yield "it is no problem document";
  if (answer.header("cache-control") !== "no-store") yield "it may be kept";
  if (!/^req_\w+$/.test(answer.header("x-request-id") ?? ""))
    yield "it has no id";
  if (answer.header("set-cookie") !== undefined) yield "it sets a cookie";
  const problem = JSON.parse(answer.body) as Record<string, unknown>;
  for (const name of Object.keys(problem))
    if (!MEMBERS.has(name)) yield `it has a member ${name}`;
  if (problem.status !== answer.status) yield "its status is another";
  const own = String(problem.code);
  if (!/^[A-Z]+(_[A-Z]+)+$/.test(own)) yield "its code is none";
  if (code !== undefined && ![code].flat().includes(own))
    yield `its code is not ${[code].flat().join(" or ")}`;
  if (INNARDS.test(answer.body)) yield "it reveals internals";
}
