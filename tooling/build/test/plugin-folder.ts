import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const COMMAND = fileURLToPath(
  new URL("../bin/gantry-build.mjs", import.meta.url),
);

/** A plugin as a third party has it: outside this repository, with the Gantry packages installed, not linked. */
export const NOTES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "notes",
    version: "1.0.0",
    type: "module",
    sideEffects: false,
    gantry: {
      api: 1,
      server: "./dist/server.mjs",
      ui: "./dist/ui/index.mjs",
      programs: { echo: "./src/echo/main.ts" },
    },
  }),
  "src/index.ts": `
    import { DatabaseSync } from "node:sqlite";
    import { dirname } from "node:path";
    import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
    import { createRequire } from "node:module";
    import { definePlugin } from "@gantry/plugin";
    import legacy from "legacy";
    const require = createRequire(import.meta.url);
    const __dirname: string = dirname(fileURLToPath(import.meta.url));
    export default definePlugin({
      id: "notes", here: __dirname, eol: require("node:os").EOL,
      separator: legacy.separator(), beside: legacy.folder(), database: typeof DatabaseSync,
    });`,
  "src/echo/main.ts": `console.log("echo: " + (process.argv[2] as string));`,
  "ui/index.ts": `
    import Card from "./components/NoteCard.vue";
    export default { pages: [{ path: "/", component: () => import("./pages/NoteList.vue") }], card: Card };`,
  "ui/components/NoteCard.vue": `
    <script setup lang="ts">
    import { ref } from "vue";
    const count = ref(0);
    </script>
    <template><UButton icon="i-lucide-alert-circle" class="mt-[13px]" @click="count++">{{ count }}</UButton></template>
    <style scoped>.card { color: red; }</style>`,
  "ui/pages/NoteList.vue": `
    <script setup lang="ts">
    import { useRoute } from "vue-router";
    import { useApi } from "@gantry/ui-kit";
    import NoteCard from "../components/NoteCard.vue";
    const route = useRoute(), api = useApi(), icon = "i-lucide-notebook-pen";
    </script>
    <template><main class="text-fuchsia-600"><NoteCard :data-icon="icon" :api="api" />{{ route.path }}</main></template>`,
  "node_modules/@gantry/plugin/package.json": JSON.stringify({
    name: "@gantry/plugin",
    type: "module",
    // As the real one: the source is named first and not shipped.
    exports: { "gantry-source": "./src/index.ts", default: "./dist/index.mjs" },
  }),
  "node_modules/@gantry/plugin/dist/index.mjs":
    "export const definePlugin = (definition) => definition;",
  "node_modules/@gantry/ui-kit/package.json": JSON.stringify({
    name: "@gantry/ui-kit",
    type: "module",
    exports: "./index.mjs",
  }),
  "node_modules/@gantry/ui-kit/index.mjs":
    "export const added = []; export const addIcons = (set) => added.push(set); export const useApi = () => {};",
  "node_modules/legacy/package.json": JSON.stringify({
    name: "legacy",
    main: "index.js",
  }),
  "node_modules/legacy/index.js":
    'const path = require("path"); exports.separator = () => path.sep; exports.folder = () => __dirname;',
};

/** Folders that are gone after the tests of a file. */
export interface TemporaryFolders {
  /** Makes an empty one. */
  createFolder(): Promise<string>;
  /** Makes one with a plugin. */
  createPluginFolder(
    changes?: Readonly<Record<string, string | undefined>>,
  ): Promise<string>;
}

/**
 * To be called once in each file: a hook of this module itself would be that of the first file alone, since files share
 * their modules.
 */
export function useTemporaryFolders(): TemporaryFolders {
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true });
  });
  async function createFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "gantry-build-"));
    made.push(folder);
    return folder;
  }
  return {
    createFolder,
    async createPluginFolder(changes = {}) {
      const folder = await createFolder();
      await writePlugin(folder, changes);
      return folder;
    },
  };
}

async function writePlugin(
  folder: string,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [path, content] of Object.entries({ ...NOTES, ...changes })) {
    if (content !== undefined) await writeSource(folder, path, content);
  }
  // For loading what was built: the shell's part is played by Node, which takes Vue from node_modules.
  const require = createRequire(import.meta.url);
  await symlink(
    dirname(require.resolve("vue/package.json")),
    join(folder, "node_modules/vue"),
  );
}

/** Writes one file of a plugin. */
export async function writeSource(
  folder: string,
  path: string,
  content: string,
): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** Starts `gantry-build` in a folder. */
export function startBuild(
  folder: string,
  args: readonly string[] = [],
): {
  child: ChildProcess;
  output: () => string;
  exited: Promise<number | null>;
} {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", resolve),
  );
  return { child, output: () => output, exited };
}

/** Runs `gantry-build` in a folder to its end. */
export async function runBuild(
  folder: string,
): Promise<{ code: number | null; output: string }> {
  const { exited, output } = startBuild(folder);
  return { code: await exited, output: output() };
}
