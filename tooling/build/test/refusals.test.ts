import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cases } from "../src/testing.ts";
import { NOTES, runBuild, useTemporaryFolders } from "./plugin-folder.ts";

const { createPluginFolder } = useTemporaryFolders();

type Changes = Record<string, string | undefined>;

function manifest(gantry: unknown): Changes {
  return {
    "package.json": JSON.stringify({ name: "notes", type: "module", gantry }),
  };
}

const CARD = NOTES["ui/components/NoteCard.vue"]!;

const REFUSALS: [what: string, changes: Changes, says: RegExp][] = [
  [
    "a style that is not scoped",
    { "ui/components/NoteCard.vue": CARD.replace("<style scoped>", "<style>") },
    /ui\/components\/NoteCard\.vue is not scoped/,
  ],
  ["a manifest that is not JSON", { "package.json": "{" }, /is not JSON/],
  [
    "a module style, whose element selectors reach everywhere",
    {
      "ui/components/NoteCard.vue": CARD.replace(
        "<style scoped>",
        "<style module>",
      ),
    },
    /NoteCard\.vue is not scoped/,
  ],
  [
    "a sheet of its own",
    {
      "ui/page.css": "button { color: red }",
      "ui/index.ts": 'import "./page.css"; export default {};',
    },
    /ui\/page\.css is a sheet for the whole page/,
  ],
  [
    "a sheet in Tailwind's layers",
    {
      "ui/components/NoteCard.vue": CARD.replace(
        ".card { color: red; }",
        "@layer utilities { .hidden { display: none } }",
      ),
    },
    /layer "utilities"/,
  ],
  [
    "an icon that does not exist",
    {
      "ui/icons.ts":
        'export const icons = ["i-lucide-no-such-thing", "i-lucide-star"];',
    },
    /no icon "no-such-thing"/,
  ],
  [
    "an icon name that is put together while running",
    {
      "ui/icons.ts":
        "export const icon = (name: string) => `i-lucide-arrow-${name}`;",
    },
    /ui\/icons\.ts puts an icon name together/,
  ],
  [
    "a copy of Vue within a dependency",
    {
      "node_modules/own-vue/package.json":
        '{"name":"own-vue","type":"module","exports":"./index.js"}',
      "node_modules/own-vue/index.js": "export class Ref { __v_isRef = true }",
      "ui/index.ts":
        'import { Ref } from "own-vue"; export default { pages: [], ref: new Ref() };',
    },
    /copy of Vue \(node_modules\/own-vue\/index\.js\)/,
  ],
  [
    "a native addon",
    {
      "node_modules/legacy/index.js":
        'module.exports = require("./addon.node");',
      "node_modules/legacy/addon.node": "not really one",
    },
    /cannot be bundled.*addon/s,
  ],
  [
    "a fault in the server's source",
    { "src/index.ts": "let x: = 1;" },
    /src\/index\.ts:1:7/,
  ],
  [
    "a fault in the UI's source",
    { "ui/index.ts": "let x: = 1;" },
    /ui\/index\.ts:1:8/,
  ],
  [
    "an import of a package that is missing",
    { "src/index.ts": 'import "nowhere";' },
    /Could not resolve "nowhere"/,
  ],
  ["no manifest", { "package.json": undefined }, /There is no package\.json/],
  [
    "a package that is no plugin",
    { "package.json": "{}" },
    /has no "gantry" section/,
  ],
  [
    "a contract of another version",
    manifest({ api: 2, server: "./dist/server.mjs" }),
    /"gantry\.api".* is 2/,
  ],
  [
    "a minor version as a number, in which 1.1 and 1.10 are one",
    manifest({ api: 1.1, server: "./dist/server.mjs" }),
    /"gantry\.api".* is 1\.1;/,
  ],
  [
    "another place for the output",
    manifest({ api: 1, ui: "./dist/ui.mjs" }),
    /writes \.\/dist\/ui\/index\.mjs/,
  ],
  ["nothing to build", manifest({ api: 1 }), /nothing to build/],
  ["nothing for a minor version", manifest({ api: "1.1" }), /nothing to build/],
  [
    "an entry that is not there",
    { "src/index.ts": undefined },
    /"gantry\.server" needs src\/index\.ts, which is not there/,
  ],
  [
    "a program with the server's name",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      programs: { server: "./src/echo/main.ts" },
    }),
    /"server" in "gantry\.programs" is no name/,
  ],
  [
    "a program with the name of the commands",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      programs: { commands: "./src/echo/main.ts" },
    }),
    /"commands" in "gantry\.programs" is no name/,
  ],
  [
    "commands without a description",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      commands: { name: "notes", file: "./dist/commands.mjs" },
    }),
    /"gantry\.commands" .* needs a name and a description/,
  ],
  [
    "another place for the commands",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      commands: { name: "notes", description: "x", file: "./commands.mjs" },
    }),
    /writes \.\/dist\/commands\.mjs/,
  ],
  [
    "commands that are not there",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      commands: {
        name: "notes",
        description: "x",
        file: "./dist/commands.mjs",
      },
    }),
    /"gantry\.commands" needs src\/commands\.ts, which is not there/,
  ],
  [
    "a program outside the folder",
    manifest({
      api: 1,
      server: "./dist/server.mjs",
      programs: { other: "../other.ts" },
    }),
    /outside the plugin's folder/,
  ],
];

it.concurrent.each(cases(REFUSALS, 2))(
  "refuses %s, and leaves nothing behind",
  async (_what, changes, says) => {
    const folder = await createPluginFolder(changes);
    const { code, output } = await runBuild(folder);
    expect(output).toMatch(says);
    expect(code).toBe(1);
    expect(existsSync(join(folder, "dist"))).toBe(false);
  },
);

it("reports a fault in the server and one in the UI together", async () => {
  const folder = await createPluginFolder({
    "src/index.ts": "let x: = 1;",
    "ui/components/NoteCard.vue": CARD.replace("<style scoped>", "<style>"),
  });
  const { output } = await runBuild(folder);
  expect(output).toMatch(/src\/index\.ts:1:7/);
  expect(output).toMatch(/is not scoped/);
});
