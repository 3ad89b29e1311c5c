import { docstrings } from "../src/rules/docstrings.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "kernel/contract/src/notes.ts";

testRule("docstrings", docstrings, {
  valid: [
    [FILE, "/** Reads all notes. */\nexport function load() {}"],
    [FILE, "/** In ms. */\nexport const LIMIT = 5;"],
    [FILE, "function load() {}\nexport { load };"],
    [FILE, "interface Internal { id: string }"],
    [FILE, "export * from './other.ts';"],
    [
      FILE,
      "/** Short text. */\nexport interface Note {\n /** `not_…`. */\n readonly id: string;\n [Symbol.dispose](): void;\n}",
    ],
    [
      FILE,
      "/** Notes in memory. */\nexport class Notes {\n #all = [];\n private count = 0;\n constructor() {}\n /** Adds one, unless it is there. */\n add() {}\n}",
    ],
    [
      FILE,
      "/** Recorded. */\nexport interface Log {\n /** Since the start; of one kind if given. */\n all(): string[];\n all(kind: string): string[];\n}",
    ],
  ],
  invalid: [
    [FILE, "export function load() {}", /“load”/],
    [FILE, "// Reads all notes.\nexport function load() {}", /“load”/],
    [FILE, "/* Reads all notes. */\nexport const LIMIT = 5;", /“LIMIT”/],
    [FILE, "export type Id = string;", /“Id”/],
    [FILE, "export default function () {}", /“default”/],
    [
      FILE,
      "/** Short text. */\nexport interface Note {\n id: string;\n title: string;\n}",
      /“id”/,
      /“title”/,
    ],
    [FILE, "/** Short text. */\nexport class Note {\n id = '';\n}", /“id”/],
    [
      FILE,
      "/** Short text. */\nexport interface Note {\n /** The id of the note. */\n id: string;\n}",
      /“id” repeats its name/,
    ],
    [
      FILE,
      "/** The session's id. */\nexport const SESSION_IDS = 1;",
      /repeats/,
    ],
    [FILE, "/** */\nexport const LIMIT = 5;", /“LIMIT” repeats/],
  ],
});
