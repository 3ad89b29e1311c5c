import { createHash } from "node:crypto";
import { access, mkdir, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createKeyedLock } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { UtilitiesInput } from "../program/utilities-input.ts";
import { compileUtilities } from "./compile.ts";
import { readCandidates, readTheme } from "./sources.ts";
import { writeWhole } from "./write-whole.ts";

const EXTENSION = ".css";

/** Sources of a sheet. */
export interface SheetSources {
  /** Folders with a `candidates.json`; the first may have a `theme.css` as well. */
  folders: readonly string[];
  /** CSS that comes after the utilities. */
  styles: readonly string[];
}

/**
 * One sheet of Tailwind utilities for the shell and all plugins, compiled when the set of plugins changes. If each plugin
 * had its own, one plugin's `.hidden` could win over another's `md:flex`, because order decides among equals.
 */
export interface UtilitiesSheet {
  /** Folder and path of the current sheet, with its compressed files beside it. */
  current(sources: SheetSources): Promise<{ folder: string; path: string }>;
}

/** Creates a sheet that is kept in the plugin's cache folder, so that a start with the same plugins compiles none. */
export function createUtilitiesSheet(
  ctx: Pick<PluginContext, "cacheFolder" | "run">,
): UtilitiesSheet {
  const compiling = createKeyedLock();

  async function make(folder: string, name: string, input: UtilitiesInput) {
    const sheet = await compileUtilities(ctx.run, input);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The uncompressed one is written last: its presence says that all are there.
    for (const suffix of [".br", ".gz", ""] as const)
      await writeWhole(
        join(folder, name + suffix),
        Buffer.from(sheet[suffix], "base64"),
      );
    for (const other of await readdir(folder)) {
      if (!other.startsWith(name))
        await unlink(join(folder, other)).catch(() => {});
    }
  }

  return {
    async current({ folders, styles }) {
      const folder = join(await ctx.cacheFolder(), "utilities");
      const theme = await readTheme(folders[0]);
      const lists = await Promise.all(folders.map(readCandidates));
      const candidates = [...new Set(lists.flat())].sort();
      const input = { theme, candidates, styles };
      const name = digestOf(input).slice(0, 16) + EXTENSION;
      await compiling.run(name, async () => {
        const isThere = await access(join(folder, name)).then(
          () => true,
          () => false,
        );
        if (!isThere) await make(folder, name, input);
      });
      return { folder, path: `/${name}` };
    },
  };
}

function digestOf({ theme, candidates, styles }: UtilitiesInput): string {
  return createHash("sha256")
    .update(theme)
    .update("\0")
    .update(candidates.join("\0"))
    .update("\0\0")
    .update(styles.join("\0"))
    .digest("hex");
}
