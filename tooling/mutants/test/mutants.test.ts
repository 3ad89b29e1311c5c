import { access } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findGitCallers } from "./support/find-git-callers.ts";
import { applyMutant } from "../src/mutant.ts";
import type { Mutant } from "../src/mutant.ts";
import { mutants } from "../src/mutants.ts";
import { renderTable } from "../src/render-table.ts";
import { readSource } from "../src/source-tree.ts";

/** Protections whose loss must be noticed. */
const PROTECTIONS = [
  "Host check",
  "Origin check",
  "Upgrade gate",
  "Access field",
  "Body pipeline",
  "Path confinement",
  "Durable commit",
  "Batch atomicity",
  "Outbound guard",
  "Git wrapper",
  "Secret compare",
  "Rate limit",
  "Browser: sites",
  "Browser: connections",
];

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  "%s is still there to be switched off, and so are its tests",
  async (_, mutant) => {
    const source = await readSource(mutant);
    expect(applyMutant(mutant, source)).not.toBe(source);
    for (const file of mutant.tests)
      await access(
        fileURLToPath(
          new URL(`../../../${mutant.folder}/${file}`, import.meta.url),
        ),
      );
  },
);

test("each protection has a mutant, and no two have one name", () => {
  const names = mutants.map(({ name }) => name);
  for (const protection of PROTECTIONS)
    expect(
      names.some((name) => name.startsWith(protection)),
      protection,
    ).toBe(true);
  expect(new Set(names).size).toBe(names.length);
});

test("nothing but the wrapper runs git", async () => {
  expect(await findGitCallers()).toEqual([
    "plugins/git-kit/src/reading-environment.ts",
  ]);
});

describe("a mutant", () => {
  const mutant: Mutant = {
    name: "Lock",
    folder: "kernel",
    file: "src/door.ts",
    find: "lock();",
    by: "",
    tests: [],
  };

  test("takes out exactly one piece", () => {
    expect(applyMutant(mutant, "close(); lock(); go();")).toBe(
      "close();  go();",
    );
  });

  test.each(["close();", "lock(); lock();"])(
    "that does not fit %j says so",
    (source) => {
      expect(() => applyMutant(mutant, source)).toThrow(
        '"Lock" is out of date',
      );
    },
  );
});

test("the table counts what was killed and what was not", () => {
  const table = renderTable([
    { name: "Lock", state: "killed", by: "the door stays shut", ms: 1234 },
    { name: "Bolt", state: "survived", by: "test/bolt.test.ts", ms: 10 },
  ]);
  expect(table).toContain("killed    Lock    1.2 s  the door stays shut");
  expect(table).toContain("1 killed, 1 survived");
});
