import { reasons } from "../src/rules/reasons.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "kernel/core/src/kernel.ts";

testRule("reasons", reasons, {
  valid: [
    [FILE, "const value: unknown = 1; const any = 'any';"],
    [
      FILE,
      "type Handler = (...args: any[]) => void; // parameters of any shape: only the count matters",
    ],
    [
      FILE,
      "type Handler = /* any shape: only the count matters */ (...args: any[]) => void;",
    ],
    [
      FILE,
      "// eslint-disable-next-line no-console -- the command's own output\nconsole.log(1);",
    ],
  ],
  invalid: [
    [FILE, "const value: any = 1;", /Say on this line/],
    [FILE, "const value = input as any; // sorry", /Say on this line/],
    [
      FILE,
      "// parameters of any shape are fine here\nconst value = input as any;",
      /Say on this line/,
    ],
    [
      FILE,
      "const value: any = 1; // eslint-disable-line no-undef -- known to the build",
      /Say on this line/,
    ],
    [
      FILE,
      "// eslint-disable-next-line no-console\nconsole.log(1);",
      /after two dashes/,
    ],
    [FILE, "/* eslint-disable no-console -- why */", /after two dashes/],
    [
      "ui/kit/src/Card.vue",
      '<script setup lang="ts">const value: any = 1;</script>',
      /Say on this line/,
    ],
  ],
});
