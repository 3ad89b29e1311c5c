import type { ESLint } from "eslint";
import { docstrings } from "./rules/docstrings.ts";
import { layers } from "./rules/layers.ts";
import { moduleDoesNothing } from "./rules/module-does-nothing.ts";
import { noAmbientTime } from "./rules/no-ambient-time.ts";
import { noBareFetch } from "./rules/no-bare-fetch.ts";
import { noChildProcess } from "./rules/no-child-process.ts";
import { plainWords } from "./rules/plain-words.ts";
import { reasons } from "./rules/reasons.ts";

/** Our own rules, under the prefix `gantry/`. */
export const gantryRules: ESLint.Plugin = {
  meta: { name: "@gantry/lint" },
  rules: {
    docstrings,
    layers,
    "module-does-nothing": moduleDoesNothing,
    "no-ambient-time": noAmbientTime,
    "no-bare-fetch": noBareFetch,
    "no-child-process": noChildProcess,
    "plain-words": plainWords,
    reasons,
  },
};
