import { words } from "../src/rules/words.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "plugins/notes/src/notes.ts";
const RENAMED = /MAX_… with the unit/;

testRule("words", words, {
  valid: [
    [FILE, "/** Dependencies of `createNotes`. */ export const MAX_NOTES = 5;"],
    [FILE, "const most = 1, longest = 2, oldest = [most, longest];"],
    [FILE, "// Three failures in a row, in the row of a table.\nexport {};"],
    [FILE, "const theme = 'the row', where = 'here', year = 1, gear = 2;"],
    [FILE, 'const user = "nobody"; // Runs as `nobody`.'],
    [FILE, "const anyBody = {};"],
    [
      "plugins/notes/ui/NoteRow.vue",
      "<template><p>The work is running</p></template>",
    ],
  ],
  invalid: [
    [FILE, "const MOST_NOTES = 5;", RENAMED],
    [FILE, "const LONGEST = 5;", RENAMED],
    [FILE, "const LEAST_ROUNDS = 5;", /MIN_…/],
    [FILE, "const mostBytes = 5;", /max…/],
    [FILE, "const DEAF = {};", /NO_LISTENER/],
    [FILE, "class Courtesy {}", /throttle/],
    [FILE, "class Screen { #letGo() {} }", /discard/],
    [FILE, "interface HostEar {}", /listener/],
    [FILE, "const createHookDoor = 1;", /handler/],
    [FILE, "/** What notes stand on. */ export {};", /Dependencies of/],
    [
      FILE,
      "/** Told of by whoever writes. */ export {};",
      /is notified/,
      /caller/,
    ],
    [
      FILE,
      "/**\n * A note that nobody\n * hears of.\n */\nexport {};",
      /no caller/,
      /receives/,
    ],
    [
      FILE,
      "// The client is\n// told why.\nexport {};",
      /"is told" is no plain term/,
    ],
    [FILE, "const text = 'It gives way to others.';", /yields/],
    [FILE, "const text = 'Somebody else waits.';", /another process/],
    [FILE, "const text = 'nobody answers';", /no caller/],
    [FILE, "const text = 'answered by nobody';", /no caller/],
    [FILE, "// Called as often as he likes.\nexport {};", /unlimited/, /they/],
    [
      FILE,
      "// Runs at work, a place in the row.\nexport {};",
      /running/,
      /the queue/,
    ],
    [
      FILE,
      "// Slots are made up for, so many at once.\nexport {};",
      /catches up/,
      /this many/,
    ],
    [
      FILE,
      "// Gives the way to stop. Twice is harmless.\nexport {};",
      /returns a function/,
      /Idempotent/,
    ],
    [
      "plugins/notes/test/notes.test.ts",
      "test('is made anew', () => {});",
      /recreated/,
    ],
    ["plugins/notes/src/door.ts", "export {};", /a route/],
    [
      "plugins/notes/ui/NoteList.vue",
      "<template><p>Nobody\n waits for you.</p></template>",
      /no caller/,
    ],
  ],
});
