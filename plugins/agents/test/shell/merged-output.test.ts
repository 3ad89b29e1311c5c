import { Readable } from "node:stream";
import { createFakeClock, settle } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { MergedOutput } from "../../src/shell/merged-output.ts";

const PIECE = 64 * 1024;

test("the output of a command that writes endlessly is read in pieces", async () => {
  let written = 0;
  const endless = new Readable({
    read() {
      written += PIECE;
      this.push(Buffer.alloc(PIECE, 0x79));
    },
  });
  const clock = createFakeClock();
  const output = new MergedOutput(clock, 1000);
  output.follow(endless);
  const read = [];
  for (let round = 0; round < 3; round += 1) {
    await settle();
    read.push(Math.round(written / 1024 / 1024));
    await clock.advance(10);
  }
  expect(read).toEqual([1, 2, 3]);
  expect(output.text).toHaveLength(1000);
  expect(output.isTruncated).toBe(true);
  endless.destroy();
});
