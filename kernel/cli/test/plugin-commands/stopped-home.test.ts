import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { commandsCode, putCommandPlugin } from "../support/command-plugin.ts";
import {
  pluginCode,
  runGantry,
  startDaemon,
} from "../../../core/test/support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";

const SERVER = pluginCode(
  "notes",
  `await ctx.store.set("started", { at: 1 });
  const read = async () => ({ kind: "bytes", mediaType: "application/json", body: JSON.stringify(await ctx.store.get("note")) });
  ctx.route({ method: "GET", path: "/api/notes", summary: "x", access: "session", returns: "bytes", handle: read });
  ctx.route({ method: "POST", path: "/api/notes", summary: "x", access: "session", returns: "bytes",
    async handle() { await ctx.store.set("note", { text: "old" }); return read(); } });`,
);

/** Writes the lines of a namespace into a stage. */
const STAGED = `
  const fs = await import("node:fs/promises");
  const stage = async (home, text, data, name = "notes") => {
    const folder = await home.stage();
    await fs.mkdir(folder + "/store");
    const line = { key: name + ":note", text: JSON.stringify({ text }) };
    await fs.writeFile(folder + "/store/" + name + ".ndjson", JSON.stringify(line) + "\\n");
    if (data) {
      await fs.mkdir(folder + "/data/notes", { recursive: true });
      await fs.writeFile(folder + "/data/notes/file.txt", text);
    }
    return folder;
  };
  const result = async (home) => print(JSON.stringify(await home.lastReplacement()));`;

const COMMANDS = commandsCode("notes", {
  read: {
    run: `await withStoppedHome(async (home, { signal }) => {
      const image = await home.readStore(signal);
      for await (const { name, entries } of image.namespaces)
        for await (const page of entries)
          for (const { key, text } of page) if (name === "notes" || name === "links") print(key + " " + text);
      await image.close();
      print(JSON.stringify(home.plugins()));
    });`,
  },
  replace: {
    run: `${STAGED}
      await withStoppedHome(async (home) => {
        await home.replace({ stage: await stage(home, "new", true), mode: "replace", keepsSessions: false, note: { by: "me" } });
        await result(home);
      });`,
  },
  merge: {
    run: `${STAGED}
      await withStoppedHome(async (home) => {
        const links = await stage(home, "merged", false, "links");
        await home.replace({ stage: links, mode: "merge", keepsSessions: true, note: {} });
        await result(home);
      });`,
  },
  rehearse: {
    run: `${STAGED}
      await withStoppedHome(async (home, { signal }) => {
        print(JSON.stringify(await home.rehearse(await stage(home, "new"), signal)));
      });`,
  },
});

async function start() {
  const home = await temporaryFolder();
  await putCommandPlugin(join(home, "plugins"), "notes", COMMANDS, {
    server: SERVER,
  });
  const gantry = (word: string) => runGantry(["notes", word, "--home", home]);
  /** Starts the daemon, does something with it, and stops it. */
  const serve = async (method: string) => {
    const daemon = await startDaemon(home);
    const answer = await daemon.call("/api/notes", { method });
    const text = await answer.text();
    daemon.kill();
    await daemon.ended;
    return text;
  };
  return { home, gantry, serve };
}

test(
  "the store of a stopped home is read, and replaced with all its files",
  { tags: "thorough" },
  async () => {
    const { home, gantry, serve } = await start();
    expect(await serve("POST")).toBe('{"text":"old"}');
    const read = await gantry("read");
    expect(read).toMatchObject({ code: 0, stderr: "" });
    expect(read.stdout.split("\n")).toEqual([
      'notes:note {"text":"old"}',
      'notes:started {"at":1}',
      '{"notes":"1.0.0"}',
      "",
    ]);
    const replaced = await gantry("replace");
    expect(replaced).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(replaced.stdout)).toMatchObject({
      mode: "replace",
      note: { by: "me" },
      failure: null,
    });
    const file = join(home, "data", "notes", "file.txt");
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await gantry("read")).stdout).toContain(
      'notes:note {"text":"new"}\n{"notes"',
    );
    expect(await serve("GET")).toBe('{"text":"new"}');
  },
);

test(
  "a home whose store is damaged is not read, and is replaced all the same",
  { tags: "thorough" },
  async () => {
    const { home, gantry, serve } = await start();
    await serve("POST");
    await writeFile(join(home, "store.sqlite"), "nonsense".repeat(1_000));
    await writeFile(join(home, "config.json"), "{");
    expect(await gantry("read")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^gantry: The data folder cannot be (read|written)[^\n]*\n$/,
      ) as string,
    });
    expect(await gantry("replace")).toMatchObject({ code: 0 });
    await writeFile(join(home, "config.json"), "{}");
    expect(await serve("GET")).toBe('{"text":"new"}');
  },
);

test(
  "records are added to a stopped home, and the others stay",
  { tags: "thorough" },
  async () => {
    const { gantry, serve } = await start();
    await serve("POST");
    const merged = await gantry("merge");
    expect(JSON.parse(merged.stdout)).toMatchObject({ failure: null });
    expect((await gantry("read")).stdout).toMatch(
      /^links:note {"text":"merged"}\nnotes:note {"text":"old"}\n/,
    );
  },
);

test(
  "an empty home gets what is staged, as on a new machine",
  { tags: "thorough" },
  async () => {
    const { gantry, serve } = await start();
    expect(await gantry("replace")).toMatchObject({ code: 0, stderr: "" });
    expect(await serve("GET")).toBe('{"text":"new"}');
  },
);

test(
  "a start is tried on what is staged, and the home is as it was",
  { tags: "thorough" },
  async () => {
    const { home, gantry, serve } = await start();
    await serve("POST");
    const before = (await stat(join(home, "store.sqlite"))).mtimeMs;
    const { code, stdout } = await gantry("rehearse");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      plugins: [{ id: "notes", state: "active", reason: null }],
      recordVersions: { "auth:session": 1 },
    });
    // Opening a store writes its side files and nothing else.
    const database = new DatabaseSync(join(home, "store.sqlite"));
    const keys = database
      .prepare("SELECT value FROM entries WHERE key = 'notes:note'")
      .all();
    database.close();
    expect(keys).toEqual([{ value: '{"text":"old"}' }]);
    expect((await stat(join(home, "store.sqlite"))).mtimeMs).toBe(before);
  },
);

test("what an earlier command left behind is removed", async () => {
  const { home, gantry } = await start();
  await mkdir(join(home, "restore", "leftover"), { recursive: true });
  expect(await gantry("read")).toMatchObject({ code: 0 });
  expect(await readdir(join(home, "restore"))).toEqual([]);
});
