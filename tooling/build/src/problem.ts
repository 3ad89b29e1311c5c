/** A fault in the plugin that its author can fix; shown without a stack. */
export class BuildProblem extends Error {
  override readonly name = "BuildProblem";
}
