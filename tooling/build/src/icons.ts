import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";
import { BuildProblem } from "./problem.ts";
import type { SourceFile } from "./sources.ts";

interface Icon {
  body: string;
  width?: number;
  height?: number;
}

/** An icon set in Iconify's format, as far as it is used here. */
export interface IconSet {
  prefix: string;
  width?: number;
  height?: number;
  icons: Record<string, Icon>;
  aliases?: Record<string, { parent: string }>;
}

const MODULE = "virtual:gantry-icons";

/**
 * Names of the icons that the sources use as `i-lucide-<name>`.
 *
 * @throws BuildProblem if a name is put together while running: what is not in the text cannot be embedded.
 */
export function findIconNames(sources: readonly SourceFile[]): string[] {
  const names = new Set<string>();
  for (const { path, content } of sources) {
    for (const match of content.matchAll(
      /\bi-lucide-([a-z0-9-]*)(\$\{|["'`]\s*\+)?/g,
    )) {
      const [whole, name = "", joined] = match;
      if (joined && (name === "" || name.endsWith("-"))) {
        throw new BuildProblem(
          `${path} puts an icon name together (${whole}…). Icons are embedded by name: write each name out whole.`,
        );
      }
      if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) names.add(name);
    }
  }
  return [...names].sort();
}

/**
 * Picks icons out of a set, so that only these end up in the bundle.
 *
 * @throws BuildProblem that names every icon that the set does not have.
 */
export function pickIcons(
  set: IconSet,
  names: readonly string[],
): Required<Omit<IconSet, "aliases">> {
  const unknown = names.filter((name) => !findIcon(set, name));
  if (unknown.length > 0) {
    throw new BuildProblem(
      `Lucide has no icon ${unknown.map((name) => `"${name}" (i-lucide-${name})`).join(", ")}. See https://lucide.dev/icons.`,
    );
  }
  const icons: Record<string, Icon> = {};
  for (const name of names) icons[name] = findIcon(set, name)!;
  return {
    prefix: set.prefix,
    icons,
    width: set.width ?? 16,
    height: set.height ?? 16,
  };
}

function findIcon(set: IconSet, name: string): Icon | undefined {
  if (Object.hasOwn(set.icons, name)) {
    const { body, width, height } = set.icons[name]!;
    return { body, width, height };
  }
  const alias = set.aliases;
  if (!alias || !Object.hasOwn(alias, name)) return undefined;
  return findIcon(set, alias[name]!.parent);
}

/** Embeds the icons that the sources name; the entry hands them to the kit before anything is drawn. */
export function embedIcons(
  entry: string,
  sources: readonly SourceFile[],
): Plugin {
  const names = findIconNames(sources);
  return {
    name: "gantry:icons",
    enforce: "pre",
    resolveId: (id) =>
      id === MODULE ? { id: `\0${MODULE}`, moduleSideEffects: true } : null,
    load(id) {
      if (id !== `\0${MODULE}`) return null;
      const icons = pickIcons(readLucide(), names);
      return `import { addIcons } from "@gantry/ui-kit";\naddIcons(${JSON.stringify(icons)});\n`;
    },
    transform(code, id) {
      if (id !== entry || names.length === 0) return null;
      // At the end, where it moves no line; imports run first wherever they stand.
      return {
        code: `${code}\nimport ${JSON.stringify(MODULE)};\n`,
        map: null,
      };
    },
  };
}

function readLucide(): IconSet {
  const file = createRequire(import.meta.url).resolve(
    "@iconify-json/lucide/icons.json",
  );
  return JSON.parse(readFileSync(file, "utf8")) as IconSet;
}
