import { documentedExports } from "../src/rules/documented-exports.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/contract.ts";

testRule("documented-exports", documentedExports, {
  valid: [
    [FILE, "/** A note. */\nexport interface Note { title: string }"],
    [FILE, "/** A note. */\nexport const note = 1, other = 2;"],
    [
      FILE,
      "/** Keeps notes. */\nexport interface Notes {}\n\nexport const Notes = defineService<Notes>('notes@1');",
    ],
    [
      FILE,
      "/** A note. */\nexport const note = z.object({});\nexport type Note = z.infer<typeof note>;",
    ],
    [FILE, "const MAX = 1;\nexport { note } from './note.ts';"],
  ],
  invalid: [
    [FILE, "export interface Note {}", /`Note` needs a docstring/],
    [FILE, "/** A note. */\n\nexport const note = 1;", /`note` needs/],
    [FILE, "// A note.\nexport function note() {}", /`note` needs/],
    [FILE, "/* A note. */\nexport class Note {}", /`Note` needs/],
    [
      FILE,
      "export const note = z.object({});\nexport type Note = z.infer<typeof note>;",
      /`note` needs/,
    ],
  ],
});
