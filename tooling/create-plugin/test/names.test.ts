import { expect, test } from "vitest";
import { makeFiles } from "../src/made-files.ts";
import { fillNames, toNames } from "../src/names.ts";

test.each([
  ["bookmarks", "bookmark", "bookmarks"],
  ["reading-list", "reading-list", "reading-lists"],
  ["reading-lists", "reading-list", "reading-lists"],
  ["entries", "entry", "entries"],
  ["diary", "diary", "diaries"],
  ["key", "key", "keys"],
  ["boxes", "box", "boxes"],
  ["classes", "class", "classes"],
  ["branches", "branch", "branches"],
  ["status", "status", "statuses"],
  ["analysis", "analysis", "analysises"],
  ["web-3d", "web-3d", "web-3ds"],
  ["x", "x", "xes"],
])("%s keeps a %s, several %s", (id, thing, things) => {
  expect(toNames(id)).toEqual({ plugin: id, thing, things });
});

test("what it keeps may have a name of its own", () => {
  expect(toNames("library", "book")).toEqual({
    plugin: "library",
    thing: "book",
    things: "books",
  });
});

test("names stand in every spelling in place of the marks", () => {
  const names = toNames("reading-room", "old-map");
  const filled = fillNames(
    'A my thing, a my thing, the my things. My plugin: "my-plugin", my-things.ts, MyThingAdded, MyThings, createMyThing(myThings), MY_PLUGIN_TITLE_TAKEN',
    names,
  );
  expect(filled).toBe(
    'An old map, an old map, the old maps. Reading room: "reading-room", old-maps.ts, OldMapAdded, OldMaps, createOldMap(oldMaps), READING_ROOM_TITLE_TAKEN',
  );
});

test.each([
  ["entry", "an"],
  ["upload", "an"],
  ["user", "a"],
  ["unit", "a"],
  ["note", "a"],
])("before %s stands %s", (thing, article) => {
  expect(fillNames("a my thing", toNames("notes", thing))).toBe(
    `${article} ${thing}`,
  );
});

test("what the code of a plugin is made of is no name for what it keeps", async () => {
  const files = await makeFiles(toNames("bookmarks"), "inside");
  const used = new Set<string>();
  for (const [path, text] of files) {
    if (!/\.(ts|vue)$/.test(path)) continue;
    for (const [, names = ""] of text.matchAll(
      /import (?:type )?\{([^}]*)\} from "[^.]/g,
    ))
      for (const [name] of names.matchAll(/\b[A-Z]\w+/g)) used.add(name);
    for (const [name] of text.matchAll(/\b[A-Z][a-z]+(?=[.<]\w)/g))
      used.add(name);
  }
  expect([...used]).toEqual(
    expect.arrayContaining(["Array", "PageShell", "Promise", "Store"]),
  );
  for (const name of used) {
    const kebab = name.replace(/\B[A-Z]/g, "-$&").toLowerCase();
    expect(() => toNames("bookmarks", kebab), name).toThrow("already");
  }
});
