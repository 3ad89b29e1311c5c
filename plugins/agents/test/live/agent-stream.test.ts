import type { StreamMessage } from "@gantry/plugin";
import { expect, test } from "vitest";
import { AgentStream } from "../../src/stream/agent-stream.ts";

function watch(stream: AgentStream, after?: string) {
  const messages: StreamMessage[] = [];
  const stop = stream.watch(
    (message) => messages.push(message),
    after,
    () => ({ turn: null }),
    () => messages.push({ event: "closed", data: null }),
  );
  return { messages, stop, events: () => messages.map(({ event }) => event) };
}

test("a client that comes back hears what it missed, once and in order", () => {
  const stream = new AgentStream();
  const first = watch(stream);
  stream.publish("delta", { text: "a" });
  const after = first.messages.at(-1)?.id;
  first.stop();
  stream.publish("delta", { text: "b" });
  stream.publish("delta", { text: "c" });
  const second = watch(stream, after);
  stream.publish("delta", { text: "d" });
  expect(second.messages.map(({ data }) => data)).toEqual([
    { text: "b" },
    { text: "c" },
    { text: "d" },
  ]);
  expect(first.messages).toHaveLength(2);
});

test("a client that missed nothing gets nothing", () => {
  const stream = new AgentStream();
  stream.publish("delta", {});
  const after = watch(stream).messages[0]?.id;
  expect(watch(stream, after).messages).toEqual([]);
});

test.each([["other-1"], ["nonsense"], [""], ["-1"], ["99999999"]])(
  "the foreign place %s means to start over",
  (after) => {
    const stream = new AgentStream();
    stream.publish("delta", {});
    expect(watch(stream, after).events()).toEqual(["reset", "snapshot"]);
  },
);

test("what is kept is bounded by number and by size", () => {
  const many = new AgentStream();
  many.publish("delta", { text: "first" });
  const after = watch(many).messages[0]?.id;
  for (let count = 0; count < 2500; count += 1)
    many.publish("delta", { count });
  expect(watch(many, after).events()).toEqual(["reset", "snapshot"]);

  const large = new AgentStream();
  large.publish("delta", {});
  const before = watch(large).messages[0]?.id;
  for (let count = 0; count < 5; count += 1)
    large.publish("entry", { text: "x".repeat(400_000) });
  expect(watch(large, before).events()).toEqual(["reset", "snapshot"]);
});

test("a client can continue from the snapshot's place", () => {
  const stream = new AgentStream();
  stream.publish("delta", {});
  const place = watch(stream).messages[0]?.id;
  stream.publish("delta", { text: "next" });
  expect(watch(stream, place).messages.map(({ data }) => data)).toEqual([
    { text: "next" },
  ]);
});

test("closing tells those who watch", () => {
  const stream = new AgentStream();
  const { events } = watch(stream);
  stream.close();
  stream.publish("delta", {});
  expect(events()).toEqual(["snapshot", "closed"]);
});
