import { join } from "node:path";
import { type Rule, RuleTester } from "eslint";
import typescript from "typescript-eslint";
import { describe, it } from "vitest";
import vueParser from "vue-eslint-parser";

RuleTester.describe = describe;
RuleTester.it = it;

/** Code that a rule lets pass, at a place in the repository. */
export type Valid = [path: string, code: string];
/** Code that a rule refuses, and what it says, one pattern for each fault. */
export type Invalid = [path: string, code: string, ...says: RegExp[]];

/** Runs a rule over pieces of TypeScript (or of a component, for a `.vue` path). */
export function testRule(
  name: string,
  rule: Rule.RuleModule,
  cases: { valid: Valid[]; invalid: Invalid[] },
): void {
  const tester = new RuleTester({
    languageOptions: { parser: typescript.parser, sourceType: "module" },
  });
  const toCase = ([path, code]: readonly [string, string, ...unknown[]]) => ({
    name: `${path}: ${code}`,
    filename: join(process.cwd(), path),
    code,
    ...(path.endsWith(".vue") && {
      languageOptions: {
        parser: vueParser,
        parserOptions: { parser: typescript.parser },
      },
    }),
  });
  tester.run(name, rule, {
    valid: cases.valid.map(toCase),
    invalid: cases.invalid.map((entry) => {
      const [, , ...says] = entry;
      return { ...toCase(entry), errors: says.map((message) => ({ message })) };
    }),
  });
}
