import { spawnSync } from "node:child_process";
import { cp, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  NOTES,
  runBuild,
  useTemporaryFolders,
  writeSource,
} from "./plugin-folder.ts";

const { createFolder, createPluginFolder } = useTemporaryFolders();

describe("a plugin outside this repository", () => {
  let folder: string;
  let output: string;
  const read = (path: string) => readFile(join(folder, path), "utf8");
  const load = (path: string) =>
    import(pathToFileURL(join(folder, path)).href) as Promise<
      Record<string, unknown>
    >;

  beforeAll(async () => {
    folder = await createPluginFolder();
    const result = await runBuild(folder);
    expect(result).toMatchObject({ code: 0 });
    output = result.output;
  });

  it("becomes one server file that needs no node_modules", async () => {
    const elsewhere = await createFolder();
    await cp(join(folder, "dist/server.mjs"), join(elsewhere, "server.mjs"));
    const loaded = (await import(
      pathToFileURL(join(elsewhere, "server.mjs")).href
    )) as { default: unknown };
    expect(loaded.default).toEqual({
      id: "notes",
      here: elsewhere,
      beside: elsewhere,
      eol: "\n",
      separator: "/",
      database: "function",
    });
  });

  it("gets each of its programs as a file of its own", async () => {
    const file = join(folder, "dist/echo.mjs");
    const { stdout } = spawnSync(process.execPath, [file, "hello"]);
    expect(stdout.toString()).toBe("echo: hello\n");
  });

  it("takes Vue and the kit from the shell, in every chunk", async () => {
    const chunks = await readdir(join(folder, "dist/ui/chunks"));
    expect(
      chunks.filter((name) => /^NoteList-.+\.mjs$/.test(name)),
    ).toHaveLength(1);
    const imported = new Set<string>();
    for (const path of [
      "index.mjs",
      ...chunks.map((name) => `chunks/${name}`),
    ]) {
      if (!path.endsWith(".mjs")) continue;
      const code = await read(`dist/ui/${path}`);
      for (const [, name] of code.matchAll(/from\s*"([^".][^"]*)"/g))
        imported.add(name!);
    }
    expect([...imported].sort()).toEqual([
      "@gantry/ui-kit",
      "vue",
      "vue-router",
    ]);
  });

  it("hands exactly the icons that it names to the kit when its entry is loaded", async () => {
    const entry = await load("dist/ui/index.mjs");
    expect(entry["default"]).toMatchObject({ pages: [{ path: "/" }] });
    const kit = await load("node_modules/@gantry/ui-kit/index.mjs");
    expect(kit["added"]).toEqual([
      {
        prefix: "lucide",
        width: 24,
        height: 24,
        icons: {
          "alert-circle": { body: expect.stringContaining("<circle") },
          "notebook-pen": { body: expect.stringContaining("<path") },
        },
      },
    ]);
  });

  it("ships its scoped styles and the candidates for Tailwind", async () => {
    expect(await read("dist/ui/style.css")).toMatch(/\.card\[data-v-\w+\]/);
    const candidates = JSON.parse(
      await read("dist/ui/candidates.json"),
    ) as string[];
    expect(candidates).toEqual(
      expect.arrayContaining(["mt-[13px]", "text-fuchsia-600"]),
    );
    expect(candidates).toEqual([...candidates].sort());
  });

  it("prints the size of each file", () => {
    expect(output).toMatch(/dist\/server\.mjs +\d+\.\d\d kB +\d+\.\d\d kB/);
    expect(output).toMatch(/UI in all +\d+\.\d\d kB +\d+\.\d\d kB/);
    expect(output).toMatch(/Built notes in \d+\.\d\d s\./);
  });

  it("holds no path of the machine that built it", async () => {
    for (const name of await readdir(join(folder, "dist"), {
      recursive: true,
    })) {
      if (!/\.(mjs|css|json)$/.test(name)) continue;
      const content = await read(`dist/${name}`);
      expect(content).not.toContain(process.cwd());
      expect(content).not.toContain(folder);
      expect(content).not.toContain("../../");
    }
  });

  it("is the same, byte for byte, when it is built again", async () => {
    const before = await read("dist/ui/index.mjs");
    expect((await runBuild(folder)).code).toBe(0);
    expect(await read("dist/ui/index.mjs")).toBe(before);
  });
});

it("compresses what is larger than a packet, and only that", async () => {
  const folder = await createPluginFolder({
    "ui/words.ts": `export const words = ${JSON.stringify(Array.from({ length: 400 }, (_, index) => `word-${index}`))};`,
    "ui/index.ts":
      'import { words } from "./words.ts"; export default { pages: [], words };',
  });
  expect(await runBuild(folder)).toMatchObject({ code: 0 });
  const ui = join(folder, "dist/ui");
  expect((await readdir(ui)).sort()).toEqual(
    expect.arrayContaining(["index.mjs", "index.mjs.br", "index.mjs.gz"]),
  );
  const original = await readFile(join(ui, "index.mjs"));
  expect(
    brotliDecompressSync(await readFile(join(ui, "index.mjs.br"))),
  ).toEqual(original);
  expect(gunzipSync(await readFile(join(ui, "index.mjs.gz")))).toEqual(
    original,
  );

  const small = await createPluginFolder({
    "ui/index.ts": "export default { pages: [] };",
  });
  expect(await runBuild(small)).toMatchObject({ code: 0 });
  expect(await readdir(join(small, "dist/ui"))).not.toContain("index.mjs.br");
});

it(
  "takes linked packages from their sources, so that a workspace need not be built first",
  { tags: "thorough" },
  async () => {
    const contract = await createFolder();
    await writeSource(
      contract,
      "package.json",
      JSON.stringify({
        name: "@gantry/plugin",
        type: "module",
        exports: {
          "gantry-source": "./src/index.ts",
          default: "./dist/index.mjs",
        },
      }),
    );
    await writeSource(
      contract,
      "src/index.ts",
      "export const definePlugin = <Definition>(definition: Definition) => ({ ...definition, from: 'source' });",
    );
    const folder = await createPluginFolder({
      "node_modules/@gantry/plugin/package.json": undefined,
      "node_modules/@gantry/plugin/dist/index.mjs": undefined,
    });
    await symlink(contract, join(folder, "node_modules/@gantry/plugin"));
    expect(await runBuild(folder)).toMatchObject({ code: 0 });
    const loaded = (await import(
      pathToFileURL(join(folder, "dist/server.mjs")).href
    )) as { default: unknown };
    expect(loaded.default).toMatchObject({ id: "notes", from: "source" });
  },
);

it("takes zod from the daemon where it is a peer dependency, in the server and not in its programs", async () => {
  const manifest = JSON.parse(NOTES["package.json"]!) as object;
  const folder = await createPluginFolder({
    "package.json": JSON.stringify({
      ...manifest,
      peerDependencies: { zod: "^4.0.0" },
    }),
    "node_modules/zod/package.json": JSON.stringify({
      name: "zod",
      main: "index.js",
    }),
    "node_modules/zod/index.js":
      'exports.string = exports.enum = () => "brought"; exports.locales = {};',
    "src/index.ts":
      'import * as z from "zod"; export default { words: [z.string(), z.enum()] };',
    "src/echo/main.ts": 'import { string } from "zod"; console.log(string());',
  });
  expect(await runBuild(folder)).toMatchObject({ code: 0 });
  const server = pathToFileURL(join(folder, "dist/server.mjs")).href;
  await expect(import(`${server}?alone`)).rejects.toThrow(
    "takes zod from the daemon",
  );
  const shared = Symbol.for("gantry.shared@1");
  const global = globalThis as { [shared]?: object };
  global[shared] = { zod: { string: () => "shared", enum: () => "too" } };
  try {
    const loaded = (await import(`${server}?shared`)) as { default: object };
    expect(loaded.default).toEqual({ words: ["shared", "too"] });
  } finally {
    delete global[shared];
  }
  const { stdout } = spawnSync(process.execPath, [
    join(folder, "dist/echo.mjs"),
  ]);
  expect(stdout.toString()).toBe("brought\n");
});

it("makes the commands a file of their own, which needs neither the server nor node_modules", async () => {
  const { gantry, ...manifest } = JSON.parse(NOTES["package.json"]!) as {
    gantry: object;
  };
  const folder = await createPluginFolder({
    "package.json": JSON.stringify({
      ...manifest,
      gantry: {
        ...gantry,
        commands: {
          name: "notes",
          description: "Short notes",
          file: "./dist/commands.mjs",
        },
      },
    }),
    "src/commands.ts":
      'import legacy from "legacy"; export default { name: "notes", separator: legacy.separator() };',
  });
  expect(await runBuild(folder)).toMatchObject({ code: 0 });
  const elsewhere = join(await createFolder(), "commands.mjs");
  await cp(join(folder, "dist/commands.mjs"), elsewhere);
  const loaded = (await import(pathToFileURL(elsewhere).href)) as object;
  expect(loaded).toMatchObject({ default: { name: "notes", separator: "/" } });
  expect(await readdir(join(folder, "dist"))).toContain("server.mjs");
});
