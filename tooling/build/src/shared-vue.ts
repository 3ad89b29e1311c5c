import { relative } from "node:path";
import type { Rolldown } from "vite";
import { BuildProblem } from "./problem.ts";

/** A property that every build of Vue's reactivity has, and nothing else writes. */
const MARK = "__v_isRef";

/**
 * Checks that a bundle takes Vue from the shell. With a copy of its own a page is drawn, and then does not follow
 * changes: two Vues do not see each other's refs.
 *
 * @throws BuildProblem that names where the copy came from.
 */
export function checkSharedVue(
  folder: string,
  output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
): void {
  const chunks = output.filter((file) => file.type === "chunk");
  const copy = chunks.find((chunk) => chunk.code.includes(MARK));
  if (copy) {
    const source = Object.entries(copy.modules).find(
      ([id, module]) =>
        /\/@vue\/reactivity\/|\/vue\/dist\//.test(id) ||
        module.code?.includes(MARK),
    );
    const where = source ? ` (${relative(folder, source[0])})` : "";
    throw new BuildProblem(
      `The UI bundle holds a copy of Vue${where}, so its pages would not react to changes. ` +
        'Import from "vue" only; a package that brings Vue within itself cannot be used in a plugin.',
    );
  }
  const hasComponents = chunks.some((chunk) =>
    Object.keys(chunk.modules).some((id) => /\.vue(\?|$)/.test(id)),
  );
  const takesVue = chunks.some((chunk) => chunk.imports.includes("vue"));
  if (hasComponents && !takesVue) {
    throw new BuildProblem(
      'The UI bundle has components but does not import "vue" from the shell; something resolved "vue" to another file.',
    );
  }
}
