import { PassThrough } from "node:stream";
import type { Log, ProcessExit, RunningProcess } from "@gantry/plugin";
import { createFakeClock, type FakeClock } from "@gantry/plugin-testing";
import { beforeEach, expect, test } from "vitest";
import { AgentProcess } from "../../src/wire/agent-process.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const reader = { value() {}, oversized() {} };
const never = new AbortController().signal;

let clock: FakeClock;
let streams: Record<"stdin" | "stdout" | "stderr", PassThrough>;
let exit: (how: Partial<ProcessExit>) => void;
let kills: number;

beforeEach(() => {
  clock = createFakeClock();
  kills = 0;
  streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
});

/** A process whose streams and end the test plays, in an order that a loaded machine may bring about. */
function create(): AgentProcess {
  const exited = new Promise<ProcessExit>((resolve) => {
    exit = (how) =>
      resolve({ code: null, signal: null, timedOut: false, ...how });
  });
  const end = () => exited;
  const kill = () => {
    kills += 1;
    return exited;
  };
  const process: RunningProcess = {
    ...{ pid: 1, ...streams, pipes: [], exited, end, endWithin: end, kill },
  };
  return new AgentProcess(process, reader, { clock, log: silent });
}

test("the last words are told, also if they are read after the end", async () => {
  const cli = create();
  exit({ code: 3 });
  streams.stdout.end();
  await new Promise(setImmediate);
  streams.stderr.end("bad config in settings.json");
  expect(await cli.ended).toEqual({
    reason: "exit",
    message:
      "The process ended with code 3 and said: bad config in settings.json",
  });
});

test("last words that never end are not waited for", async () => {
  const cli = create();
  exit({ code: 3 });
  streams.stdout.end();
  streams.stderr.write("bad config");
  await clock.advance(1000);
  expect((await cli.ended).message).toContain("bad config");
});

test("one that closes its input is ended", async () => {
  const cli = create();
  streams.stdin.destroy(new Error("EPIPE"));
  await clock.advance(500);
  expect(kills).toBe(1);
  exit({ signal: "SIGKILL" });
  streams.stdout.end();
  streams.stderr.end();
  expect(await cli.ended).toEqual({
    reason: "protocol",
    message: "It has closed its input.",
  });
});

test("one that closed its input because it ended says why it ended, however late that is known", async () => {
  const cli = create();
  streams.stdin.destroy(new Error("EPIPE"));
  await clock.advance(500);
  const sent = cli.send({}, never);
  exit({ code: 3 });
  streams.stdout.end();
  streams.stderr.end("bad config");
  const message = "The process ended with code 3 and said: bad config";
  expect(await cli.ended).toEqual({ reason: "exit", message });
  await expect(sent).rejects.toThrow(message);
});
