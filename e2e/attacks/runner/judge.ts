import { expect } from "vitest";
import type { RawAnswer } from "../../../kernel/test/support/raw-http.ts";
import type { World } from "../world/world.ts";
import type { Outcome, Trial } from "./row.ts";

const AT_ONCE = 6;
/** More would not be read. */
const MOST_TOLD = 12;

const LONGEST_TOLD = 400;

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

/** Makes all requests of a row and tells of every one that came out otherwise. */
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
    const told = wrong.slice(0, MOST_TOLD).join("\n\n");
    expect.fail(`${wrong.length} of ${count} came out otherwise:\n${told}`);
  }
  expect(count, "requests in this row").toBeGreaterThan(0);
  return count;
}

/** Checks one answer, and what holds for every answer there is. */
export function judge(
  world: World,
  answer: RawAnswer,
  outcome: Outcome,
  sent?: Trial["send"],
): void {
  expectNoLeak(world, answer);
  if ("accepted" in outcome) {
    expect(answer.status, answer.body).toBe(200);
  } else {
    const statuses = [outcome.refused].flat();
    const got = `${answer.status} ${answer.body.slice(0, LONGEST_TOLD)}`;
    expect(statuses, `got ${got}`).toContain(answer.status);
    const isHead =
      typeof sent === "object" && "method" in sent && sent.method === "HEAD";
    if (!isHead) expectProblem(answer, outcome.code);
  }
  outcome.check?.(answer);
}

function expectNoLeak(world: World, { headers, body }: RawAnswer): void {
  const names = headers.map(([name]) => name);
  expect(names.filter((name) => name.startsWith("access-control-"))).toEqual(
    [],
  );
  expect(names).not.toContain("x-powered-by");
  expect(names).not.toContain("server");
  for (const [name, value] of [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-resource-policy", "same-origin"],
  ])
    expect(headers).toContainEqual([name, value]);
  for (const [what, secret] of world.secrets)
    expect(body.includes(secret), `${what} in the answer`).toBe(false);
}

/** A problem document that tells what it must and nothing of the inside. */
export function expectProblem(
  answer: RawAnswer,
  code?: string | readonly string[],
): void {
  expect(answer.header("content-type")).toBe("application/problem+json");
  expect(answer.header("cache-control")).toBe("no-store");
  expect(answer.header("x-request-id")).toMatch(/^req_\w+$/);
  expect(answer.header("set-cookie")).toBeUndefined();
  const problem = JSON.parse(answer.body) as Record<string, unknown>;
  expect(Object.keys(problem).filter((name) => !MEMBERS.has(name))).toEqual([]);
  expect(problem.status).toBe(answer.status);
  expect(problem.code).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
  if (code !== undefined)
    expect([code].flat(), answer.body).toContain(problem.code);
  expect(answer.body).not.toMatch(INNARDS);
}
