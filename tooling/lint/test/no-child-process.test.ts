import { noChildProcess } from "../src/rules/no-child-process.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/notes.ts";

testRule("no-child-process", noChildProcess, {
  valid: [
    [FILE, 'import type { ChildProcess } from "node:child_process";'],
    [FILE, 'import { type ChildProcess } from "node:child_process";'],
    [FILE, 'type Child = import("node:child_process").ChildProcess;'],
    [FILE, 'import { readFile } from "node:fs/promises";'],
    [FILE, 'const text = "node:child_process";'],
  ],
  invalid: [
    [
      FILE,
      'import { spawn } from "node:child_process";',
      /ctx\.run.*node:child_process/,
    ],
    [
      FILE,
      'import { spawn, type ChildProcess } from "child_process";',
      /child_process/,
    ],
    [
      FILE,
      'const { exec } = await import("node:child_process");',
      /child_process/,
    ],
    [FILE, 'const { exec } = require("child_process");', /child_process/],
    [FILE, 'export { spawn } from "node:child_process";', /child_process/],
    [FILE, 'import { execa } from "execa";', /execa/],
  ],
});
