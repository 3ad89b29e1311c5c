import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { isThorough } from "@gantry/build/testing";
import { expect, onTestFinished, test } from "vitest";
import * as judging from "../../src/guard/judge-call.ts";
import type * as files from "../../src/guard/judge-file.ts";
import {
  FORBIDDEN_PARAMS,
  PARAMS_JUDGES,
} from "../../src/guard/judge-params.ts";
import { BROWSER_METHODS, PAGE_METHODS } from "../../src/guard/methods.ts";
import type { Method } from "../../src/guard/methods.ts";
import type * as visible from "../../src/guard/visible-event.ts";
import { findWrongEvents } from "./support/find-wrong-events.ts";
import { findWrongFiles } from "./support/find-wrong-files.ts";
import {
  FORBIDDEN_METHODS,
  findWrongVerdicts,
} from "./support/find-wrong-verdicts.ts";

/** Changes an entry of a table, or removes it, for the time of `check`. */
function withEntry<Value>(
  table: ReadonlyMap<string, Value>,
  key: string,
  value: Value | undefined,
  check: () => void,
): void {
  const changeable = table as Map<string, Value>;
  const before = table.get(key);
  if (value === undefined) changeable.delete(key);
  else changeable.set(key, value);
  try {
    check();
  } finally {
    if (before === undefined) changeable.delete(key);
    else changeable.set(key, before);
  }
}
/** A fifth of the entries of a table, all of them in `npm run test:all`. */
const someOf = <Entry>(all: Iterable<Entry>): Entry[] =>
  [...all].filter((_, at) => isThorough || at % 5 === 0);

const expectNoticed = (what: string) => () =>
  expect(findWrongVerdicts(judging.judgeCall), what).not.toEqual([]);

test("a method with a lower tier, without its tier, or added to a table is noticed", () => {
  for (const table of [BROWSER_METHODS, PAGE_METHODS]) {
    for (const [method, { tier, handling }] of someOf(table)) {
      withEntry(table, method, undefined, expectNoticed(method));
      const lower = { full: "act", act: "read", read: undefined }[tier];
      if (lower)
        withEntry(
          ...([table, method, { tier: lower, handling } as Method] as const),
          expectNoticed(`${method} at ${lower}`),
        );
    }
    for (const method of someOf(FORBIDDEN_METHODS))
      withEntry(
        ...([
          table,
          method,
          { tier: "full", handling: "send" } as Method,
        ] as const),
        expectNoticed(`${method} allowed`),
      );
  }
});

test("a judge of parameters that is missing, and a parameter that is sent, is noticed", () => {
  for (const method of [...PARAMS_JUDGES.keys()])
    withEntry(PARAMS_JUDGES, method, undefined, expectNoticed(method));
  for (const [method, names] of [...FORBIDDEN_PARAMS])
    for (const name of names)
      withEntry(
        FORBIDDEN_PARAMS,
        method,
        names.filter((each) => each !== name),
        expectNoticed(`${method} with ${name}`),
      );
});

const GUARD = join(import.meta.dirname, "../../src/guard");
const CALL = "judge-call.ts";
const PARAMS = "judge-params.ts";
const INPUT = "judge-input.ts";
const FILE = "judge-file.ts";
const EVENT = "visible-event.ts";

/** Conditions of the judges: the file, what is in it exactly once, and what is there instead. */
const CONDITIONS: readonly [file: string, from: string, to: string][] = [
  [CALL, 'if (!hasTier(tier, "read"))', "if (false)"],
  [CALL, "if (!found)", "if (false && !found)"],
  [CALL, "if (!hasTier(tier, found.tier))", "if (false)"],
  [CALL, "judgeNodes(params, context) ??", ""],
  [CALL, "backendNodeId === undefined ? [] : [backendNodeId]", "[]"],
  [CALL, "Array.isArray(backendNodeIds)", "false"],
  [CALL, '(hasTier(tier, "full") ? null : judgeInput(method, params)) ??', ""],
  [CALL, "PARAMS_JUDGES.get(method)?.(params, context) ??", ""],
  [CALL, "params: withoutForbidden(method, params)", "params"],
  [
    PARAMS,
    'typeof url === "string" ? judgeUrl(url)',
    "judgeUrl !== undefined ? null",
  ],
  [PARAMS, "scriptToEvaluateOnLoad === undefined", "true"],
  [PARAMS, "clip === undefined ? null", "true ? null"],
  [
    PARAMS,
    'transferMode !== undefined && transferMode !== "ReturnAsBase64"',
    "false",
  ],
  [PARAMS, "headerTemplate === undefined &&", ""],
  [PARAMS, "&& footerTemplate === undefined", ""],
  [PARAMS, "!Array.isArray(files) ||", ""],
  [PARAMS, "|| files.length > MAX_FILES", ""],
  [
    PARAMS,
    'typeof file === "string" ? judgeFile(file)',
    "judgeFile !== undefined ? null",
  ],
  [PARAMS, "&& urls.length > 0", ""],
  [PARAMS, "&& domain === undefined", ""],
  [PARAMS, '? "this request was not seen in this session"', "? null"],
  [PARAMS, "judgeRequest(params, context) ??", ""],
  [PARAMS, "(url === undefined ? null : judgeUrlParam(url, context))", "null"],
  [PARAMS, "!isSmall(width, MAX_VIEWPORT_PX) ||", ""],
  [PARAMS, "|| !isSmall(height, MAX_VIEWPORT_PX)", ""],
  [PARAMS, "[deviceScaleFactor, scale]", "[scale]"],
  [PARAMS, "[deviceScaleFactor, scale]", "[deviceScaleFactor]"],
  [PARAMS, 'typeof value === "number" && value <= max', "Number(value) <= max"],
  [INPUT, 'method === "Input.dispatchKeyEvent" &&', "false &&"],
  [INPUT, 'method === "Input.dispatchMouseEvent" &&', "false &&"],
  [INPUT, 'button === "middle" ||', ""],
  [INPUT, "|| (toBits(buttons) & 4) !== 0", ""],
  [
    INPUT,
    "if (!Array.isArray(commands)) return true;",
    "if (!Array.isArray(commands)) return false;",
  ],
  [INPUT, 'typeof each !== "string" || ', ""],
  [INPUT, "paste|", ""],
  [INPUT, "copy|", ""],
  [INPUT, "cut|", ""],
  [INPUT, "|yank", ""],
  [INPUT, "(bits & (CONTROL | META))", "(bits & CONTROL)"],
  [INPUT, "(bits & (CONTROL | META))", "(bits & META)"],
  [INPUT, "((bits & SHIFT) !== 0 &&", "(false &&"],
  [INPUT, 'typeof value === "number" ? value : -1', "0"],
  [
    INPUT,
    '["windowsVirtualKeyCode", "nativeVirtualKeyCode"]',
    '["windowsVirtualKeyCode"]',
  ],
  [
    INPUT,
    '["windowsVirtualKeyCode", "nativeVirtualKeyCode"]',
    '["nativeVirtualKeyCode"]',
  ],
  [INPUT, 'typeof code !== "number" || ', ""],
  [
    INPUT,
    'typeof text !== "string" || names',
    'typeof text === "string" && names',
  ],
  [FILE, "if (folder === null)", "if (false)"],
  [FILE, "realpathSync(path)", "path"],
  [FILE, "realpathSync(folder) + sep", "realpathSync(folder)"],
  [FILE, "if (!real.startsWith(realpathSync(folder) + sep))", "if (false)"],
  [FILE, "statSync(real).isFile()", "true"],
  [EVENT, '?? "full"))', '?? "read"))'],
  [EVENT, '["Network", "act"]', '["Network", "read"]'],
  [EVENT, 'domain === "Target" &&', "false &&"],
  [EVENT, "if (!NETWORK_EVENTS.has(method)) return undefined;", ""],
  [EVENT, "params: withoutSecrets(params) as typeof params", "params"],
  [
    EVENT,
    'name === "headers" ? {} : withoutSecrets(child)',
    "withoutSecrets(child)",
  ],
  [
    EVENT,
    "if (Array.isArray(value)) return value.map(withoutSecrets);",
    "if (Array.isArray(value)) return value;",
  ],
  ...[
    ...["associatedCookies", "cookies", "headersText", "postData"],
    ...["postDataEntries", "requestHeaders", "requestHeadersText"],
  ].map((name): [string, string, string] => [EVENT, `  "${name}",\n`, ""]),
];

test(
  "a condition of a judge that is switched off is noticed",
  { tags: ["thorough"] },
  async () => {
    const root = await mkdtemp(join(import.meta.dirname, ".mutants-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    for (const name of ["fence", "records", "protocol"])
      await symlink(join(GUARD, "..", name), join(root, name));
    const survivors: string[] = [];
    for (const [at, [file, from, to]] of [
      ["", "", ""] as const,
      ...CONDITIONS,
    ].entries()) {
      const folder = join(root, `guard-${at}`);
      await mkdir(folder);
      for (const name of [CALL, PARAMS, INPUT, FILE, EVENT, "methods.ts"])
        await cp(join(GUARD, name), join(folder, name));
      if (file !== "") {
        const text = await readFile(join(folder, file), "utf8");
        if (text.split(from).length !== 2) survivors.push(`not once: ${from}`);
        await writeFile(join(folder, file), text.replace(from, to));
      }
      const load = <Module>(name: string) =>
        import(/* @vite-ignore */ join(folder, name)) as Promise<Module>;
      const { judgeCall } = await load<typeof judging>(CALL);
      const { judgeFile } = await load<typeof files>(FILE);
      const { toVisibleEvent } = await load<typeof visible>(EVENT);
      const isNoticed = [
        () => findWrongVerdicts(judgeCall).length > 0,
        () => findWrongFiles(judgeFile).length > 0,
        () => findWrongEvents(toVisibleEvent).length > 0,
      ].some((check) => {
        try {
          return check();
        } catch {
          return true;
        }
      });
      // The copy without a change shows that it is the change that is noticed.
      if (isNoticed !== (file !== "")) survivors.push(`${file}: ${from}`);
    }
    expect(survivors).toEqual([]);
  },
);
