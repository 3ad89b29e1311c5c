import { runs } from "@gantry/build/testing";
import { createFakeClock } from "@gantry/plugin-testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Job, Jobs } from "../../src/live/jobs.ts";
import { NO_ANSWER, Turn, type TurnOutcome } from "../../src/live/turn.ts";
import { NO_USAGE } from "../../src/live/usage.ts";

const SILENCE_MS = 60_000;
const FOLLOW_UP_MS = 10_000;

/** Jobs of an agent, of which a test decides each step. */
class Bench {
  readonly clock = createFakeClock();
  readonly silent: string[] = [];
  readonly jobs = new Jobs({
    clock: this.clock,
    silenceMs: SILENCE_MS,
    onWork: () => undefined,
    onSilent: ({ id }) => void this.silent.push(id),
  });
  /** How jobs ended, by the turns that they began with. */
  readonly ended = new Map<string, TurnOutcome>();
  #count = 0;

  begin(isAsked: boolean): Turn {
    const id = `trn_${(this.#count += 1)}`;
    const startedAt = this.clock.timestamp();
    const origin = { id, taskId: null, runId: null, startedAt };
    const turn = new Turn(origin, isAsked);
    const job = (isAsked ? undefined : this.jobs.reported) ?? new Job(null);
    if (job.turns.length === 0)
      void job.outcome.then((outcome) => this.ended.set(id, outcome));
    this.jobs.begin(turn, job);
    return turn;
  }

  end(turn: Turn, answer: string, more: Partial<TurnOutcome> = {}): void {
    turn.spend({ ...NO_USAGE, costUsd: 1 });
    const { usage } = turn;
    const end = { stopReason: "end", error: null, sessionId: null } as const;
    this.jobs.ended(turn, { ...end, answer, usage, ...more });
  }

  start(id: string): void {
    this.jobs.started({ id, kind: "task", title: `work ${id}` });
  }
}

test("a turn without work in the background is over with its result", async () => {
  const bench = new Bench();
  bench.end(bench.begin(true), "hello");
  await bench.clock.advance(0);
  expect(bench.ended.get("trn_1")).toMatchObject({ answer: "hello" });
  expect(bench.jobs.isOpen).toBe(false);
});

test("the answer is the last report, and the cost the sum", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.start("b");
  bench.end(turn, "I will report.");
  bench.jobs.over("a");
  bench.end(bench.begin(false), "a is done");
  await bench.clock.advance(FOLLOW_UP_MS * 2);
  expect(bench.ended.size).toBe(0);
  bench.jobs.over("b");
  bench.end(bench.begin(false), "b is done");
  await bench.clock.advance(0);
  expect(bench.ended.get("trn_1")).toMatchObject({
    ...{ answer: "b is done", stopReason: "end" },
    usage: { costUsd: 3 },
  });
});

test("a report that never comes is not waited for longer than it takes", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.end(turn, "I will report.");
  bench.jobs.over("a");
  await bench.clock.advance(FOLLOW_UP_MS - 1);
  expect(bench.ended.size).toBe(0);
  await bench.clock.advance(1);
  expect(bench.ended.get("trn_1")).toMatchObject({ answer: "I will report." });
});

test("work that ends before the result is reported after it, unless the model was told since", async () => {
  for (const wasTold of [true, false]) {
    const bench = new Bench();
    const turn = bench.begin(true);
    bench.start("a");
    bench.jobs.over("a");
    if (wasTold) bench.jobs.toldModel(turn);
    bench.end(turn, "first");
    await bench.clock.advance(0);
    expect(bench.ended.has("trn_1")).toBe(wasTold);
    if (!wasTold) bench.end(bench.begin(false), "second");
    await bench.clock.advance(0);
    const answer = wasTold ? "first" : "second";
    expect(bench.ended.get("trn_1")).toMatchObject({ answer });
  }
});

test("work that is silent for too long is given up, and a sign of life puts that off", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.end(turn, "I will report.");
  await bench.clock.advance(SILENCE_MS - 1);
  bench.start("a");
  await bench.clock.advance(SILENCE_MS - 1);
  expect(bench.ended.size).toBe(0);
  await bench.clock.advance(1);
  expect(bench.silent).toEqual(["a"]);
  expect(bench.ended.get("trn_1")).toMatchObject({ answer: "I will report." });
});

test("another prompt meanwhile is a job of its own", async () => {
  const bench = new Bench();
  const first = bench.begin(true);
  bench.start("a");
  bench.end(first, "I will report.");
  bench.end(bench.begin(true), "four");
  await bench.clock.advance(0);
  expect(bench.ended.get("trn_2")).toMatchObject({ answer: "four" });
  expect(bench.ended.has("trn_1")).toBe(false);
  bench.jobs.over("a");
  bench.end(bench.begin(false), "done");
  await bench.clock.advance(0);
  expect(bench.ended.get("trn_1")).toMatchObject({ answer: "done" });
});

test("a turn that fails ends its job, whatever is running", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.end(turn, "", { stopReason: "error", error: "No." });
  await bench.clock.advance(0);
  expect(bench.ended.get("trn_1")).toMatchObject({ error: "No." });
});

test("a job that never had words has no answer", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.end(turn, "");
  bench.jobs.over("a");
  bench.end(bench.begin(false), " ");
  await bench.clock.advance(0);
  const failed = { stopReason: "error", error: NO_ANSWER };
  expect(bench.ended.get("trn_1")).toMatchObject(failed);
});

test("the end of the process fails what waits, and says what was running", async () => {
  const bench = new Bench();
  const turn = bench.begin(true);
  bench.start("a");
  bench.end(turn, "I will report.");
  const end = { stopReason: "error", error: "It crashed." } as const;
  const words = "1 background task was still running: work a.";
  expect(bench.jobs.close(end)).toBe(words);
  await bench.clock.advance(0);
  const error = `It crashed. ${words}`;
  expect(bench.ended.get("trn_1")).toMatchObject({
    stopReason: "error",
    error,
  });
});

/** One step of what a CLI may tell, in any order. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("begin" as const), isAsked: fc.boolean() }),
  fc.record({
    kind: fc.constant("end" as const),
    answer: fc.constantFrom("", "words"),
    stopReason: fc.constantFrom("end", "error", "cancelled"),
  }),
  fc.record({
    kind: fc.constantFrom("start" as const, "over" as const),
    id: fc.constantFrom("a", "b", "c"),
  }),
  fc.record({ kind: fc.constantFrom("told" as const, "stop" as const) }),
  fc.record({
    kind: fc.constant("wait" as const),
    ms: fc.integer({ min: 0, max: 2 * SILENCE_MS }),
  }),
);

test("in whatever order things are told, every job ends once, and none while its turn runs or its work is known", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const bench = new Bench();
      const begun: string[] = [];
      let running: Turn | undefined;
      for (const one of steps) {
        if (one.kind === "begin" && !running) {
          running = bench.begin(one.isAsked);
          if (bench.jobs.usageOf(running) === NO_USAGE) begun.push(running.id);
        } else if (one.kind === "end" && running) {
          const { answer, stopReason } = one;
          const error = stopReason === "error" ? "No." : null;
          bench.end(running, answer, { stopReason, error } as never);
          running = undefined;
        } else if (one.kind === "start") bench.start(one.id);
        else if (one.kind === "over") bench.jobs.over(one.id);
        else if (one.kind === "told" && running) bench.jobs.toldModel(running);
        else if (one.kind === "stop") bench.jobs.stop();
        else if (one.kind === "wait") await bench.clock.advance(one.ms);
        await bench.clock.advance(0);
        if (running) expect(bench.ended.has(running.id)).toBe(false);
      }
      if (running) bench.end(running, "last");
      // Nothing is waited for without end.
      await bench.clock.advance(SILENCE_MS + FOLLOW_UP_MS);
      expect(bench.jobs.isOpen).toBe(false);
      expect(bench.clock.pending).toBe(0);
      for (const id of begun) expect(bench.ended.has(id)).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});
