import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createMessageReader } from "../../src/protocol/message-reader.ts";
import {
  MAX_CALL_LENGTH,
  PipeConnection,
} from "../../src/protocol/pipe-connection.ts";

function connect() {
  const read = new PassThrough();
  const write = new PassThrough();
  const faults: unknown[] = [];
  const connection = new PipeConnection({
    read,
    write,
    onFault: (error) => faults.push(error),
  });
  return {
    connection,
    read,
    faults,
    say: (message: object) => void read.write(`${JSON.stringify(message)}\0`),
    sent: () =>
      JSON.parse((write.read() as Buffer).toString().replace(/\0$/, "")) as {
        id: number;
      },
  };
}

test("answers and events are read, however the stream is split", async () => {
  const { connection, read, sent } = connect();
  const order: string[] = [];
  connection.onEvent(({ method }) => order.push(method));
  void connection
    .send("Page.enable")
    .then((result) => order.push(JSON.stringify(result)));
  const { id } = sent();
  const bytes = Buffer.from(
    `{"id":${id},"result":{"a":"é"}}\0{"method":"Page.loaded"}\0`,
  );
  for (const byte of bytes) read.write(Buffer.of(byte));
  await expect.poll(() => order.sort()).toEqual(["Page.loaded", '{"a":"é"}']);
});

test("a call that Chromium refuses rejects with its message", async () => {
  const { connection, say, sent } = connect();
  const call = connection.send("Page.nope");
  say({
    id: sent().id,
    error: { code: -32601, message: "'Page.nope' wasn't found" },
  });
  await expect(call).rejects.toMatchObject({
    message: "Page.nope: 'Page.nope' wasn't found",
  });
});

test("a pipe that closes answers all calls, those after it as well", async () => {
  const { connection, read } = connect();
  const open = connection.send("Browser.getVersion");
  read.destroy();
  await expect(open).rejects.toMatchObject({ code: "BROWSER_GONE" });
  await connection.closed;
  await expect(connection.send("Browser.getVersion")).rejects.toMatchObject({
    code: "BROWSER_GONE",
  });
});

test("an answer is passed on before the event that follows it, and calls of a session end with it", async () => {
  const { connection, say, sent } = connect();
  const order: unknown[] = [];
  const note = (what: unknown) => void order.push(what);
  connection.onEvent(({ method, sessionId }) => note([method, sessionId]));
  connection.post("Page.enable", {}, "one", ({ result }) => note(result));
  const first = sent();
  expect(first).toMatchObject({ method: "Page.enable", sessionId: "one" });
  connection.post("Page.reload", {}, "one", ({ error }) =>
    note(error?.message),
  );
  connection.post("Page.reload", {}, "two", () => note("two"));
  say({ id: first.id, result: { a: 1 } });
  say({ method: "Page.loaded", sessionId: "one" });
  say({ method: "Target.detachedFromTarget", params: { sessionId: "one" } });
  await expect
    .poll(() => order)
    .toEqual([
      { a: 1 },
      ["Page.loaded", "one"],
      "The session has ended.",
      ["Target.detachedFromTarget", undefined],
    ]);
});

test("a call that is too long or nested too deeply is answered with an error", () => {
  const { connection } = connect();
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { deep };
  const messages: (string | undefined)[] = [];
  for (const params of [{ text: "x".repeat(MAX_CALL_LENGTH) }, deep])
    connection.post("Page.enable", params, "one", ({ error }) =>
      messages.push(error?.message),
    );
  expect(messages).toEqual([
    expect.stringContaining("at most"),
    expect.stringContaining("too deeply"),
  ]);
});

test("a listener that throws does not keep events from other listeners", async () => {
  const { connection, faults, say } = connect();
  const seen: string[] = [];
  connection.onEvent(() => {
    throw new Error("broken");
  });
  connection.onEvent(({ method }) => seen.push(method));
  say({ method: "Page.loaded" });
  await expect.poll(() => seen).toEqual(["Page.loaded"]);
  expect(faults).toHaveLength(1);
});

test("a message that is no JSON closes the connection", async () => {
  const { connection, read, faults } = connect();
  read.write("not json\0");
  await connection.closed;
  expect(faults).toHaveLength(1);
});

test("an endless message is not buffered without limit", () => {
  const take = createMessageReader(() => {}, 10);
  take(Buffer.from("12345678"));
  expect(() => take(Buffer.from("90123"))).toThrow(RangeError);
});
