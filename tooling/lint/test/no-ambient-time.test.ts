import { noAmbientTime } from "../src/rules/no-ambient-time.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/notes.ts";

testRule("no-ambient-time", noAmbientTime, {
  valid: [
    [FILE, "const now = ctx.clock.now(); await ctx.clock.sleep(10);"],
    [
      FILE,
      "new Date(0); new Date(text); Date.parse(text); Date.UTC(2026, 1); new Date(...parts);",
    ],
    [FILE, "let timer: ReturnType<typeof setTimeout>; let at: Date;"],
    [FILE, "const setTimeout = ctx.clock.after; setTimeout(1);"],
    [FILE, "clock.setTimeout(1); time.Date.now();"],
    [FILE, "if (value instanceof Date) performance.mark('x');"],
    [FILE, "setImmediate(work); queueMicrotask(work);"],
    [FILE, 'import type { setTimeout } from "node:timers/promises";'],
  ],
  invalid: [
    [FILE, "const now = Date.now();", /Date\.now would escape/],
    [FILE, "const { now } = Date; const read = Date.now;", /Date\.now/],
    [FILE, "new Date();", /new Date\(\)/],
    [FILE, "const text = Date();", /Date\(\)/],
    [
      FILE,
      "globalThis.Date.now(); new globalThis.Date();",
      /Date\.now/,
      /new Date\(\)/,
    ],
    [FILE, "performance.now();", /performance\.now/],
    [FILE, "setTimeout(work, 10);", /setTimeout/],
    [FILE, "const wait = promisify(setTimeout);", /setTimeout/],
    [FILE, "globalThis.setInterval(work, 10);", /setInterval/],
    [
      FILE,
      'import { setTimeout } from "node:timers/promises"; setTimeout(1);',
      /node:timers\/promises/,
    ],
  ],
});
