import { BuildProblem } from "./problem.ts";

/** The texts to show for what a build threw: a fault in the plugin or in its sources without a stack, else all of it. */
export function describeFailure(error: unknown): string[] {
  const problem = findProblem(error);
  if (problem) return [problem.message];
  if (error instanceof AggregateError) {
    return error.errors.flatMap(describeFailure);
  }
  if (!(error instanceof Error)) return [String(error)];
  // The message of a compiler already shows the place; its stack only shows the compiler's own code.
  if ("errors" in error) return [error.message];
  return [error.stack ?? error.message];
}

/** Bundlers wrap what their plugins throw. */
function findProblem(error: unknown): BuildProblem | undefined {
  if (error instanceof BuildProblem) return error;
  if (!(error instanceof Error) || error instanceof AggregateError) {
    return undefined;
  }
  const inner = (error as { errors?: unknown[] }).errors ?? [];
  for (const part of [error.cause, ...inner]) {
    const found = part === undefined ? undefined : findProblem(part);
    if (found) return found;
  }
  return undefined;
}
