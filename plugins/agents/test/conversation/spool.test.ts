import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Spool } from "../../src/conversation/spool.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-spool-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* pieces(count: number, failure?: Error) {
  for (let number = 0; number < count; number += 1) {
    await Promise.resolve();
    yield `${number} ${"ż".repeat(1000)}\n`;
  }
  if (failure) throw failure;
}

const untilEmpty = () =>
  vi.waitFor(async () => expect(await readdir(folder)).toEqual([]));

test("returns what was written, with its length, and removes the file once it is read", async () => {
  const spool = await Spool.create(folder);
  const { length, stream } = await spool.write(pieces(1000));
  const whole = await text(stream);
  expect(Buffer.byteLength(whole)).toBe(length);
  expect(whole.split("\n")).toHaveLength(1001);
  await untilEmpty();
});

test("returns an empty text", async () => {
  const spool = await Spool.create(folder);
  const { length, stream } = await spool.write(pieces(0));
  expect({ length, text: await text(stream) }).toEqual({ length: 0, text: "" });
  await untilEmpty();
});

test("removes files of a text that failed, that was not read, or that an earlier daemon left", async () => {
  await writeFile(join(folder, "out_left"), "left");
  const spool = await Spool.create(folder);
  expect(await readdir(folder)).toEqual([]);
  const failure = new Error("torn");
  await expect(spool.write(pieces(1000, failure))).rejects.toBe(failure);
  expect(await readdir(folder)).toEqual([]);
  const { stream } = await spool.write(pieces(10));
  stream.destroy();
  await untilEmpty();
});
