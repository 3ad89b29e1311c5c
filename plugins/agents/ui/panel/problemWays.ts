import type { Agent } from "../wire.ts";

type Problem = NonNullable<Agent["problem"]>;

/** What the user can do about a problem: the words of its button, and what that does. */
export type ProblemWay = "continue" | "login" | "default-model";

/** The title of a problem, and the way on. */
export function toProblemWords(
  { kind, resetsAt }: Pick<Problem, "kind" | "resetsAt">,
  now: number,
  formatTime: (time: string) => string,
): { title: string; way: ProblemWay; label: string } {
  switch (kind) {
    case "usage-limit": {
      const isLater = resetsAt !== null && Date.parse(resetsAt) > now;
      const title = isLater
        ? `The usage limit is reached. You can continue at ${formatTime(resetsAt)}.`
        : "The usage limit was reached.";
      return { title, way: "continue", label: "Continue" };
    }
    case "authentication":
      return {
        title: "The CLI needs a login.",
        way: "login",
        label: "Log in",
      };
    case "billing":
      return {
        title: "The account of the CLI has a billing problem.",
        way: "continue",
        label: "Try again",
      };
    case "overload":
      return {
        title: "The service was overloaded.",
        way: "continue",
        label: "Try again",
      };
    case "model":
      return {
        title: "The model is not available any more.",
        way: "default-model",
        label: "Use the default model",
      };
  }
}
