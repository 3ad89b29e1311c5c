import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Outbox } from "../../src/host/outbox.ts";
import { createFrameReader } from "../../src/wire/frames.ts";

const PIECE = 64 * 1024;
const PIECES = 40;

/** Two ends of a connection; what is written into the first is read from the second once it is resumed. */
async function connectEnds(): Promise<{ near: Socket; far: Socket }> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-outbox-"));
  const server = createServer();
  server.listen(join(folder, "socket"));
  await once(server, "listening");
  const far = connect(join(folder, "socket"));
  far.pause();
  const [near] = (await once(server, "connection")) as [Socket];
  onTestFinished(async () => {
    near.destroy();
    far.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { near, far };
}

test("a viewer with a flood does not delay the others, and each gets its own output in order", async () => {
  const { near, far } = await connectEnds();
  const outbox = new Outbox(near);
  const flood = outbox.sinkOf(1);
  const second = outbox.sinkOf(2);
  const quiet = outbox.sinkOf(3);
  for (let piece = 0; piece < PIECES; piece++)
    flood.output([Buffer.alloc(PIECE, piece)]);
  for (let piece = 0; piece < 3; piece++)
    second.output([Buffer.alloc(PIECE, piece)]);
  quiet.output([Buffer.from("x")]);
  quiet.hears({ type: "resize", cols: 80, rows: 24 });
  flood.hears({ type: "exit", exitCode: 0, signal: null });
  flood.output([Buffer.from("end")]);

  const came: { viewer: number; first: number; length: number }[] = [];
  const heard: unknown[] = [];
  let wake = () => {};
  const all = new Promise<void>((resolve) => (wake = resolve));
  const read = createFrameReader({
    message: (message) => heard.push({ message, at: came.length }),
    bytes(_kind, viewer, data) {
      came.push({ viewer, first: data[0] ?? -1, length: data.length });
      if (data.length === 3) wake();
    },
  });
  far.on("data", (chunk: Buffer) => read(chunk));
  far.resume();
  await all;

  const firstOf = (viewer: number) =>
    came.findIndex((piece) => piece.viewer === viewer);
  const lastOf = (viewer: number) =>
    came.findLastIndex((piece) => piece.viewer === viewer);
  // The system's own buffer takes a few pieces before anything waits.
  expect(firstOf(3)).toBeLessThan(12);
  expect(lastOf(2)).toBeLessThan(20);
  const flooded = came.filter(({ viewer }) => viewer === 1);
  expect(flooded.map(({ first }) => first)).toEqual([
    ...Array(PIECES).keys(),
    "e".charCodeAt(0),
  ]);
  expect(heard).toEqual([
    {
      message: {
        viewer: 3,
        hears: { type: "resize", cols: 80, rows: 24 },
      },
      at: firstOf(3) + 1,
    },
    {
      message: {
        viewer: 1,
        hears: { type: "exit", exitCode: 0, signal: null },
      },
      at: came.length - 1,
    },
  ]);
});

test("pending output for a viewer that has left is not sent", async () => {
  const { near, far } = await connectEnds();
  const outbox = new Outbox(near);
  const flood = outbox.sinkOf(1);
  for (let piece = 0; piece < PIECES; piece++)
    flood.output([Buffer.alloc(PIECE, piece)]);
  outbox.forget(1);
  let bytes = 0;
  far.on("data", (chunk: Buffer) => (bytes += chunk.length));
  far.resume();
  outbox.send({ answer: 1, result: {} });
  near.end();
  await once(far, "end");
  expect(bytes).toBeLessThan((PIECES / 2) * PIECE);
});
