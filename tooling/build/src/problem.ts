/** A fault in the plugin that its author can mend; shown without a stack. */
export class BuildProblem extends Error {
  override readonly name = "BuildProblem";
}
