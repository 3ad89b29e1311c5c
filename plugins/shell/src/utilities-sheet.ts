import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginContext, Run } from "@gantry/plugin";
import { replaceFile } from "@gantry/plugin/files";
import type { UtilitiesInput, UtilitiesOutput } from "./compile/main.ts";
import { readSharedStyle } from "./plugin-styles.ts";
import { serveFrom } from "./static-folder.ts";

const EXTENSION = ".css";

const COMPILE_LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Adds `/ui/utilities.css`. It is public as the shell is, and revalidated, since it changes with the plugins.
 *
 * @param shell `dist` folder of the built shell.
 */
export function addUtilitiesSheet(
  ctx: PluginContext,
  shell: string | undefined,
): void {
  const sheet = createUtilitiesSheet(join(ctx.home, "cache"), ctx.run);
  ctx.handler({
    path: "/ui/utilities.css",
    summary: "The styles of all pages",
    access: "public",
    methods: ["GET"],
    async handle(event) {
      const plugins = ctx.daemon
        .plugins()
        .filter(({ state }) => state === "active");
      const { folder, path } = await sheet.current({
        shellFolder: join(shell ?? "", "tailwind"),
        pluginFolders: plugins.flatMap(({ ui }) => (ui ? dirname(ui) : [])),
        styles: (await Promise.all(plugins.map(readSharedStyle))).filter(
          (style) => style !== undefined,
        ),
      });
      return serveFrom(folder, path, event, { immutable: false });
    },
  });
}

/** Where class names come from. */
interface SheetSources {
  /** `tailwind/` folder of the built shell: `theme.css` and `candidates.json`. */
  shellFolder: string;
  /** UI folders of the plugins, with a `candidates.json` each. */
  pluginFolders: readonly string[];
  /** Styles of plugins that come after the utilities. */
  styles: readonly string[];
}

/**
 * One sheet of Tailwind utilities for the shell and all plugins, with the styles of those that are delivered, made when the set of plugins changes. Each plugin
 * bringing its own would let one plugin's `.hidden` win over another's `md:flex`, since order decides among equals.
 */
interface UtilitiesSheet {
  /** Folder and path of the current sheet, compressed neighbour beside it. */
  current(sources: SheetSources): Promise<{ folder: string; path: string }>;
}

/** Makes sheets in a cache folder, so that a start with the same plugins makes none. */
function createUtilitiesSheet(cacheFolder: string, run: Run): UtilitiesSheet {
  const folder = join(cacheFolder, "utilities");
  const making = new Map<string, Promise<void>>();

  async function make(name: string, input: UtilitiesInput): Promise<void> {
    const sheet = await compileUtilities(run, input);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The plain one last: it says that all are there.
    for (const suffix of [".br", ".gz", ""] as const)
      await replaceFile(
        join(folder, name + suffix),
        Buffer.from(sheet[suffix], "base64"),
      );
    for (const other of await readdir(folder)) {
      if (!other.startsWith(name))
        await unlink(join(folder, other)).catch(() => {});
    }
  }

  return {
    async current({ shellFolder, pluginFolders, styles }) {
      const theme = await readFile(
        join(shellFolder, "theme.css"),
        "utf8",
      ).catch(() => "");
      const lists = await Promise.all(
        [shellFolder, ...pluginFolders].map(readCandidates),
      );
      const candidates = [...new Set(lists.flat())].sort();
      const hash = createHash("sha256")
        .update(theme)
        .update("\0")
        .update(candidates.join("\0"))
        .update("\0\0")
        .update(styles.join("\0"))
        .digest("hex");
      const name = hash.slice(0, 16) + EXTENSION;
      const exists = await readFile(join(folder, name)).then(
        () => true,
        () => false,
      );
      if (!exists) {
        const work =
          making.get(name) ?? make(name, { theme, candidates, styles });
        making.set(name, work);
        await work.finally(() => making.delete(name));
      }
      return { folder, path: `/${name}` };
    },
  };
}

async function readCandidates(folder: string): Promise<string[]> {
  try {
    const list = JSON.parse(
      await readFile(join(folder, "candidates.json"), "utf8"),
    ) as unknown;
    return Array.isArray(list)
      ? list.filter((item): item is string => typeof item === "string")
      : [];
  } catch {
    // A plugin without classes of its own has no such file.
    return [];
  }
}

async function compileUtilities(
  run: Run,
  input: UtilitiesInput,
): Promise<UtilitiesOutput> {
  const { code, stdout, stderr } = await run.collect(
    process.execPath,
    [compiler()],
    {
      input: JSON.stringify(input),
      timeoutMs: COMPILE_LIMIT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    },
  );
  if (code !== 0) throw new Error(`The styles were not compiled: ${stderr}`);
  return JSON.parse(stdout) as UtilitiesOutput;
}

/** The program that compiles, beside this file when it is built. */
function compiler(): string {
  const built = fileURLToPath(new URL("compile.mjs", import.meta.url));
  const source = fileURLToPath(new URL("compile/main.ts", import.meta.url));
  return existsSync(built) ? built : source;
}
