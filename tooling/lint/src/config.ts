import { fileURLToPath } from "node:url";
import javascript from "@eslint/js";
import type { Linter, Rule } from "eslint";
import vue from "eslint-plugin-vue";
import globals from "globals";
import typescript from "typescript-eslint";
import vueParser from "vue-eslint-parser";
import { gantryRules } from "./plugin.ts";

const TESTS = ["**/test/**", "**/*.test.ts", "e2e/**"];
/** They take minutes and hours, with limits of their own. */
const LONG_TESTS = ["e2e/{agents,long}/**", "plugins/*/test/{agents,long}/**"];
/** Steps of a package's own build. */
const SCRIPTS = ["*/*/scripts/**"];
/** Programs that a plugin spawns: processes of their own, without a context. */
const PROGRAMS = ["plugins/*/src/{compile,host,join,practice,reading-git}/**"];
const MADE = [
  "**/dist/",
  "**/.nuxt/",
  "**/.output/",
  "**/.turbo/",
  "**/.data/",
  "**/artifacts/",
  "**/generated/",
  "**/*.generated.*",
];

/** One program for all of them: one for each package would read the same types again and again. */
const SOURCES = fileURLToPath(
  new URL("../tsconfig.sources.json", import.meta.url),
);

/**
 * The whole configuration, for `eslint.config.mjs`.
 *
 * @param project The `tsconfig.json` of the sources whose types the rules look at.
 */
export function createConfig(project: string = SOURCES): Linter.Config[] {
  return [
    { ignores: MADE },
    javascript.configs.recommended,
    ...(typescript.configs.recommended as Linter.Config[]),
    ...vueRules(),
    {
      linterOptions: { reportUnusedDisableDirectives: "error" },
      languageOptions: { globals: { ...globals.node } },
      plugins: { gantry: gantryRules },
      rules: {
        "gantry/layers": "error",
        // Files that have more of them are in `eslint-suppressions.json`.
        "gantry/plain-words": "error",
        "gantry/reasons": "error",
        eqeqeq: ["error", "always", { null: "ignore" }],
        "max-lines": ["error", 400],
        // Ours asks for a reason instead.
        "@typescript-eslint/no-explicit-any": "off",
        "@typescript-eslint/ban-ts-comment": [
          "error",
          {
            "ts-ignore": true,
            "ts-nocheck": true,
            "ts-expect-error": "allow-with-description",
          },
        ],
        "@typescript-eslint/no-unused-vars": [
          "error",
          {
            argsIgnorePattern: "^_",
            varsIgnorePattern: "^_",
            ignoreRestSiblings: true,
          },
        ],
      },
    },
    {
      files: ["**/*.vue"],
      languageOptions: {
        parser: vueParser,
        parserOptions: { parser: typescript.parser, sourceType: "module" },
        globals: globals.browser,
      },
      rules: {
        ...layoutRulesOff(),
        // An optional prop of a typed component is undefined, as its type says.
        "vue/require-default-prop": "off",
        // The compiler of TypeScript knows better.
        "no-undef": "off",
        "no-unused-vars": "off",
      },
    },
    {
      files: [
        "**/pages/**/*.vue",
        "**/layouts/**/*.vue",
        "**/app.vue",
        "**/error.vue",
      ],
      rules: { "vue/multi-word-component-names": "off" },
    },
    {
      files: ["ui/**", "plugins/*/ui/**"],
      languageOptions: { globals: globals.browser },
    },
    ...placedRules(),
    promiseRules(project),
  ];
}

/** The rules that need types, for code that runs for weeks: the failure of a promise that is not awaited is lost. */
function promiseRules(project: string): Linter.Config {
  return {
    files: ["kernel/*/src/**/*.ts", "plugins/*/src/**/*.ts"],
    languageOptions: { parserOptions: { project } },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: false },
      ],
    },
  };
}

/** Rules that hold everywhere but in the files whose purpose is what the rule forbids. */
function placedRules(): Linter.Config[] {
  return [
    {
      files: ["kernel/**", "plugins/**", "ui/**"],
      ignores: [
        "kernel/system/src/processes/**",
        ...PROGRAMS,
        ...SCRIPTS,
        ...TESTS,
      ],
      rules: { "gantry/no-child-process": "error" },
    },
    {
      files: ["kernel/**", "plugins/**", "ui/**"],
      ignores: ["kernel/system/src/outbound/**", "ui/kit/**", ...TESTS],
      rules: { "gantry/no-bare-fetch": "error" },
    },
    {
      files: ["plugins/*/src/**"],
      ignores: PROGRAMS,
      rules: {
        "gantry/no-ambient-time": "error",
        "gantry/module-does-nothing": "error",
      },
    },
    {
      files: ["kernel/contract/src/**"],
      rules: { "gantry/module-does-nothing": "error" },
    },
    {
      // What plugin authors read in their editor.
      files: ["kernel/{contract,testing}/src/**"],
      rules: { "gantry/docstrings": "error" },
    },
    {
      files: ["plugins/*/src/index.ts"],
      rules: { "max-lines": ["error", 80] },
    },
    {
      // Browsers have these over HTTPS and on this machine alone; the pages are served over plain HTTP as well.
      files: ["ui/**", "plugins/*/ui/**"],
      ignores: ["ui/kit/src/browser/**"],
      rules: {
        "no-restricted-properties": [
          "error",
          {
            object: "crypto",
            property: "randomUUID",
            message: "It is missing over plain HTTP; use createKey().",
          },
          {
            object: "crypto",
            property: "subtle",
            message: "It is missing over plain HTTP.",
          },
          {
            object: "navigator",
            property: "clipboard",
            message: "It is missing over plain HTTP; use copyText().",
          },
        ],
      },
    },
    {
      // Those that are longer today are in `eslint-suppressions.json`.
      files: ["**/*.{mjs,ts}"],
      ignores: [...TESTS, "**/fixtures/**"],
      rules: {
        "max-lines-per-function": [
          "error",
          { max: 80, skipBlankLines: true, skipComments: true },
        ],
      },
    },
    {
      files: TESTS,
      rules: {
        "no-restricted-properties": [
          "error",
          ...["describe", "it", "test"].map((object) => ({
            object,
            property: "only",
            message: "It would silently leave out all other tests.",
          })),
        ],
      },
    },
    {
      files: TESTS,
      ignores: LONG_TESTS,
      rules: { "no-restricted-syntax": ["error", ...literalLimits()] },
    },
    { files: ["**/fixtures/**"], rules: { "max-lines": "off" } },
    {
      // Its cases are the phrases.
      files: ["tooling/lint/test/plain-words.test.ts"],
      rules: { "gantry/plain-words": "off" },
    },
  ];
}

/** Limits that are numbers: right for the machine on which they were written, too short for a slower one. */
function literalLimits(): { selector: string; message: string }[] {
  const block = "/^(test|it|describe|(before|after)(All|Each))$/";
  const calls = [
    `CallExpression[callee.name=${block}]`,
    `CallExpression[callee.callee.object.name=${block}]`,
    "CallExpression[callee.object.name='vi'][callee.property.name='waitFor']",
    "CallExpression[callee.object.name='expect'][callee.property.name='poll']",
  ].join(", ");
  const message =
    "The machine decides how long this takes: leave the limit out, or use WAIT_MS or TEST_TIMEOUT_MS of @gantry/build/testing.";
  return [
    `:matches(${calls}) > Literal[raw=/^[1-9]/]:last-child:not(:first-child)`,
    `:matches(${calls}) > ObjectExpression > Property[key.name="timeout"] > Literal`,
    'CallExpression[callee.property.name="setDefaultTimeout"] > Literal',
  ].map((selector) => ({ selector, message }));
}

/** Vue's recommended set for components only; it would look at every other file as well. */
function vueRules(): Linter.Config[] {
  const configs = vue.configs["flat/recommended"] as Linter.Config[];
  return configs.map((config) =>
    config.rules ? { files: ["**/*.vue"], ...config } : config,
  );
}

/** The formatter decides on layout. */
function layoutRulesOff(): Linter.RulesRecord {
  const rules = Object.entries(
    vue.rules as unknown as Record<string, Rule.RuleModule>,
  );
  return Object.fromEntries(
    rules
      .filter(([, rule]) => rule.meta?.type === "layout")
      .map(([name]) => [`vue/${name}`, "off"]),
  );
}
