import { fileURLToPath } from "node:url";
import javascript from "@eslint/js";
import type { Linter, Rule } from "eslint";
import vue from "eslint-plugin-vue";
import globals from "globals";
import typescript from "typescript-eslint";
import vueParser from "vue-eslint-parser";
import { gantryRules } from "./plugin.ts";
import { textParser } from "./text-parser.ts";

const TESTS = [
  "**/test/**",
  "**/*.test.ts",
  "e2e/**",
  "kernel/test-support/**",
  "plugins/agent-folder/testing/**",
  "plugins/agent-kit/{testing,conformance,stand-in}/**",
];
/** Steps of a package's own build. */
const SCRIPTS = ["*/*/scripts/**"];
/** Programs that a plugin spawns: processes of their own, without a context. */
const PROGRAMS = ["plugins/*/src/{program,host,join}/**"];
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

/** Lines that a function of the kernel may have. */
const MAX_FUNCTION_LINES = 80;
/**
 * Files of the kernel with a longer function, and how long it may be: most make one thing whose functions share state. None
 * is added, and a number only gets smaller.
 */
const LONG_FUNCTIONS: readonly [file: string, lines: number][] = [
  ["kernel/store/src/collection.ts", 211],
  ["kernel/system/src/processes/run.ts", 211],
  ["kernel/store/src/sqlite-driver.ts", 174],
  ["kernel/store/src/quarantine.ts", 177],
  ["kernel/store/src/collection-upkeep.ts", 173],
  ["kernel/http/src/app.ts", 149],
  ["kernel/store/src/events/durable-listener.ts", 127],
  ["kernel/testing/src/test-kernel.ts", 123],
  ["kernel/http/src/sockets.ts", 116],
  ["kernel/audit/src/audit.ts", 109],
  ["kernel/system/src/git/git.ts", 104],
  ["kernel/store/src/collection-reader.ts", 95],
  ["kernel/whole-home/src/whole-home.ts", 88],
  ["kernel/store/src/scoped-store.ts", 87],
  ["kernel/testing/src/browser/browser-stage.ts", 81],
];
/** Files without an AST, of which only the words are looked at. */
const TEXTS = ["**/*.md", "**/*.css"];
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
    { files: TEXTS, languageOptions: { parser: textParser } },
    ...wordRules(),
    ...placedRules(),
    promiseRules(project),
  ];
}

/** The rules that need types, for the code that runs for weeks: a promise that is not awaited fails unnoticed. */
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

/** The words that are kept out, and the docstrings of contracts. */
function wordRules(): Linter.Config[] {
  return [
    {
      // The list itself, and tests of what is refused.
      ignores: ["tooling/lint/src/words.ts", "tooling/lint/test/**"],
      rules: { "gantry/words": "error" },
    },
    {
      files: ["plugins/*/src/contract.ts", "kernel/{contract,helpers}/src/**"],
      rules: { "gantry/documented-exports": "error" },
    },
    { files: TEXTS, rules: { "max-lines": "off" } },
  ];
}

/** Rules that hold everywhere but in the places that are there for the very thing. */
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
      files: ["kernel/{contract,helpers}/src/**"],
      rules: { "gantry/module-does-nothing": "error" },
    },
    {
      files: ["kernel/*/src/**"],
      rules: { "max-lines-per-function": ["error", MAX_FUNCTION_LINES] },
    },
    ...LONG_FUNCTIONS.map(([file, lines]): Linter.Config => ({
      files: [file],
      rules: { "max-lines-per-function": ["error", lines] },
    })),
    {
      files: ["kernel/*/src/**", "plugins/*/src/**"],
      // The lock of a home is the lock of a file as SQLite takes it, since Node has none; there is no database in it.
      ignores: ["kernel/store/src/**", "kernel/system/src/home/lock.ts"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            name: "node:sqlite",
            message: "Only the store knows what kind of database it has.",
          },
        ],
      },
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
    { files: ["**/fixtures/**"], rules: { "max-lines": "off" } },
  ];
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
