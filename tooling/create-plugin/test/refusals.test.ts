import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSmallCheckout } from "./support/small-checkout.ts";
import type { SmallCheckout } from "./support/small-checkout.ts";

let checkout: SmallCheckout;

beforeAll(async () => {
  checkout = await createSmallCheckout();
  for (const folder of ["plugins/shelf", "e2e/fixtures/reading-list"])
    await mkdir(join(checkout.path, folder), { recursive: true });
});
afterAll(() => checkout[Symbol.asyncDispose]());

const look = async () => [
  await readdir(checkout.path, { recursive: true }),
  await readFile(join(checkout.path, "tooling/reference/package.json"), "utf8"),
];

test.concurrent.each(
  cases<[args: string[], says: string]>(
    [
      [[], "needs a name"],
      [[""], "needs a name"],
      [["Bookmarks"], "such as bookmarks."],
      [["readingList"], "such as reading-list."],
      [["reading_list"], "such as reading-list."],
      [["reading--list"], "such as reading-list."],
      [["bookmarks-"], "such as bookmarks."],
      [["2bookmarks"], "such as bookmarks."],
      [["b".repeat(41)], "at most 40"],
      [["lesezeichen-für-später"], "small letters"],
      [["книги"], "small letters"],
      [["a b"], "such as a-b."],
      [["--folder", "My Shelf"], "such as my-shelf."],
      [["../bookmarks"], '"../bookmarks" is a path'],
      [["plugins/bookmarks"], "is a path"],
      [["a\\b"], "is a path"],
      [["."], "is a path"],
      [["..", "--folder", "there"], "is a path"],
      [["agents"], '"agents" is taken'],
      [["snippets", "--folder", "elsewhere"], '"snippets" is taken'],
      [["kernel"], "the daemon's own"],
      [["settings"], "a path of the app itself"],
      [["testing"], '"testing" is taken'],
      [["reading-list"], "a plugin in e2e/fixtures"],
      [["errors"], '"error" is a name that the code'],
      [["things", "--singular", "Store"], '"Store" is not the name'],
      [["things", "--singular", "store"], '"store" is a name that the code'],
      [["shelf"], "plugins/shelf is there already"],
      [["books", "--folder", "plugins"], "plugins is there already"],
      [["books", "--folder", "package.json"], "package.json is there already"],
      [["one", "two"], "more than one name"],
      [["books", "--colour", "red"], "--colour"],
      [["books", "--folder"], "--folder"],
    ],
    10,
  ),
)("%j is refused in one line, and nothing is written", async (args, says) => {
  const before = await look();
  const { code, output } = await checkout.create(...args);
  expect(output).toContain(says);
  expect(output).toMatch(/^create-gantry-plugin: [^\n]+\n$/);
  expect(code).toBe(2);
  expect(await look()).toEqual(before);
});

test("--help says how it is called, and makes nothing", async () => {
  const before = await look();
  const { code, output } = await checkout.create("--help");
  expect(output).toMatch(/^Usage: create-gantry-plugin <name>/);
  expect(code).toBe(0);
  expect(await look()).toEqual(before);
});
