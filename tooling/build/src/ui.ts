import { join } from "node:path";
import vue from "@vitejs/plugin-vue";
import { build, defaultClientConditions, type Rolldown } from "vite";
import { embedIcons } from "./icons.ts";
import { checkSharedVue } from "./shared-vue.ts";
import type { SourceFile } from "./sources.ts";
import { checkSheet, scopedStylesOnly } from "./styles.ts";
import { sourceConditions } from "./workspace.ts";

/** What the shell shares with every plugin through its import map. A second copy of any would not work with it. */
const SHARED = ["vue", "vue-router", "@gantry/ui-kit"];

/** Smaller modules that chunks share make one chunk together: a request costs more than a few bytes too many. */
const SMALL_MODULE_BYTES = 4096;

/** A file of the finished UI. */
export interface UiFile {
  /** Relative to `dist/ui`. */
  path: string;
  content: string | Uint8Array;
}

/**
 * Bundles the UI in memory, so that nothing is written of a bundle that is refused.
 *
 * @throws BuildProblem if it holds a copy of Vue, a style that is not scoped or an icon that does not exist.
 */
export async function bundleUi(
  folder: string,
  entry: string,
  sources: readonly SourceFile[],
): Promise<UiFile[]> {
  const result = await build({
    root: folder,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: "warn",
    // In library mode, Vite leaves this to a later bundler; there is none.
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: {
      conditions: [...sourceConditions(folder), ...defaultClientConditions],
    },
    css: { postcss: {} },
    plugins: [scopedStylesOnly(folder), embedIcons(entry, sources), vue()],
    build: {
      write: false,
      outDir: join(folder, "dist/ui"),
      target: "es2023",
      modulePreload: false,
      reportCompressedSize: false,
      lib: {
        entry,
        formats: ["es"],
        fileName: () => "index.mjs",
        cssFileName: "style",
      },
      rolldownOptions: {
        external: (id) =>
          SHARED.some((name) => id === name || id.startsWith(`${name}/`)),
        output: {
          chunkFileNames: "chunks/[name]-[hash].mjs",
          codeSplitting: {
            groups: [
              {
                name: "shared",
                minShareCount: 2,
                maxModuleSize: SMALL_MODULE_BYTES,
              },
            ],
          },
          // Vite keeps white space in library builds.
          minify: true,
        },
      },
    },
  });
  const { output } = (
    Array.isArray(result) ? result[0] : result
  ) as Rolldown.RolldownOutput;
  checkSharedVue(folder, output);
  return output.map((file) => {
    if (file.type === "chunk")
      return { path: file.fileName, content: file.code };
    if (file.fileName.endsWith(".css")) checkSheet(String(file.source));
    return { path: file.fileName, content: file.source };
  });
}
