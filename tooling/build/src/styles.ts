import { relative } from "node:path";
import type { Plugin } from "vite";
import { BuildProblem } from "./problem.ts";

/**
 * Refuses styles that would reach beyond their component: the page belongs to the shell and to every other plugin.
 * Sheets of installed packages pass, since their authors chose names of their own.
 */
export function scopedStylesOnly(folder: string): Plugin {
  return {
    name: "gantry:scoped-styles",
    enforce: "pre",
    load(id) {
      const [file = "", query = ""] = id.split("?");
      const parameters = new URLSearchParams(query);
      if (file.includes("/node_modules/")) return null;
      const shown = relative(folder, file);
      if (parameters.has("vue") && parameters.get("type") === "style") {
        if (parameters.has("scoped")) return null;
        throw new BuildProblem(
          `A <style> in ${shown} is not scoped: it would change the shell and other plugins. Write <style scoped>.`,
        );
      }
      if (/\.(css|scss|sass|less|styl|pcss)$/.test(file)) {
        throw new BuildProblem(
          `${shown} is a sheet for the whole page: it would change the shell and other plugins. ` +
            "Use Tailwind classes, or <style scoped> in a component.",
        );
      }
      return null;
    },
  };
}

/** @throws BuildProblem if the finished sheet writes into Tailwind's layers, which one sheet for all plugins fills. */
export function checkSheet(css: string): void {
  const layer = /@layer\s+(utilities|components|base|theme)\b/.exec(css);
  if (layer) {
    throw new BuildProblem(
      `The styles write into Tailwind's layer "${layer[1]}", which would hide classes of the shell. ` +
        "The daemon compiles Tailwind classes for all plugins; do not import tailwindcss in a style.",
    );
  }
}
