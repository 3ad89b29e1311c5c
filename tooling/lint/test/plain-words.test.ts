import { expect, test } from "vitest";
import { NAMES, PHRASES } from "../src/plain-words.ts";
import { plainWords } from "../src/rules/plain-words.ts";
import { testRule } from "./rule-tester.ts";

const FILE = "kernel/core/src/kernel.ts";
const COMPONENT = "ui/kit/src/Card.vue";

testRule("plain-words", plainWords, {
  valid: [
    [FILE, "// Writes the file again.\nconst MAX_BYTES = 3;"],
    // Names and keys are no sentences.
    [FILE, "const anew = state.nobody; call('anew');"],
    [FILE, "const told = /told of/; const at = work / 2;"],
    [FILE, "// Goes on the stack. A non-he-man, upon-arrival."],
    [FILE, "import { MOST_STYLES } from './styles.ts';"],
    [COMPONENT, "<template><p>Needs input</p></template>"],
  ],
  invalid: [
    [FILE, "/** Writes it anew. */", /“anew” is not plain: write “again”/],
    [FILE, "// Whoever asks is told of it.", /“Whoever”/, /“told of”/],
    [FILE, "/**\n * It is told\n * of by others.\n */", /“told of”/],
    [FILE, "// It is told\n// of by others.", /“told of”/],
    [FILE, "throw new Error('Nobody has it.');", /“Nobody”/],
    [FILE, "log.warn(`${name} goes on without it`);", /“continues”/],
    [
      FILE,
      "const MOST_STYLES = 3;",
      /“MOST_STYLES” is not plain: write `MAX_…/,
    ],
    [FILE, "export function layFoundation() {}", /“layFoundation”/],
    [COMPONENT, "<template><p>Waits for you</p></template>", /“Needs input”/],
    [
      COMPONENT,
      '<template><p title="Waits for you">x</p></template>',
      /“Needs input”/,
    ],
    [
      COMPONENT,
      '<script setup lang="ts">\n// Opens it anew.\nconst open = true;\n</script>',
      /“again”/,
    ],
  ],
});

test("no phrase is refused for a word that another one recommends", () => {
  for (const { instead } of [...PHRASES, ...NAMES])
    for (const { phrase } of PHRASES)
      expect(instead).not.toMatch(
        new RegExp(`\\b(?:${phrase.source})\\b`, "i"),
      );
});
