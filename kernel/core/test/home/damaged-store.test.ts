import { cases, temporaryFolder } from "@gantry/build/testing";
import { randomBytes } from "node:crypto";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { runGantry } from "../support/daemon.ts";

test.each(
  cases([
    ["was cut short", async (file: string) => truncate(file, 20 * 4096)],
    ["is something else", (file: string) => writeFile(file, randomBytes(8192))],
  ] as const),
)("a store that %s is told in one line and left as it is", async (_, harm) => {
  const home = await temporaryFolder();
  const file = join(home, "store.sqlite");
  fill(file);
  await harm(file);
  const before = await readFile(file);
  const result = await runGantry(["serve", "--home", home, "--port", "0"]);
  expect(result).toMatchObject({ code: 4, stdout: "" });
  expect(result.stderr).toBe(
    `gantry: The store ${file} is damaged and was left as it is. Put a copy of it in its place, or move it away to start with an empty one.\n`,
  );
  expect(await readFile(file)).toEqual(before);
});

/** Writes a store of some hundred pages, all of it in the one file. */
function fill(file: string): void {
  createSqliteDriver(file).dispose?.();
  const database = new DatabaseSync(file);
  const insert = database.prepare("INSERT INTO entries VALUES (?, ?)");
  for (let number = 0; number < 1000; number++)
    insert.run(`notes:note:${number}`, "x".repeat(500));
  database.exec("PRAGMA journal_mode = DELETE");
  database.close();
}
