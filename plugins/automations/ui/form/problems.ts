import type { Draft } from "./draft.ts";

/** What is wrong with a field. What is only missing is not said before the user has tried to save. */
export interface Problem {
  message: string;
  missing: boolean;
}

const MAX_PROMPT_LENGTH = 100_000;

/** What is wrong with a draft, by the path of the field, as far as can be known without the daemon. */
export function problemsOf(draft: Draft): Record<string, Problem> {
  const problems: Record<string, Problem> = {};
  const wrong = (path: string, message: string) =>
    (problems[path] = { message, missing: false });
  const missing = (path: string, message: string) =>
    (problems[path] = { message, missing: true });

  if (draft.name.trim() === "") missing("name", "Give it a name.");
  if (draft.prompt.trim() === "")
    missing("prompt", "Say what the agent is to do.");
  if (draft.prompt.length > MAX_PROMPT_LENGTH)
    wrong("prompt", "At most 100,000 characters.");
  if (draft.mode === "message" && draft.targetAgentId === "")
    missing("targetAgentId", "Choose the agent that gets the prompt.");
  if (draft.workspace !== "" && !/^(\/|[A-Za-z]:[\\/])/.test(draft.workspace))
    wrong("workspace", "Write the whole path, such as /home/me/project.");
  const notifyUrl = draft.notifyUrl.trim();
  if (notifyUrl !== "" && !isWebAddress(notifyUrl))
    wrong("notifyUrl", "Write the whole address, with https:// before it.");
  checkNumber("maxCostUsd", 0.01, 10_000, "an amount");
  for (const cap of [
    "maxRunsPerHour",
    "maxRunsPerDay",
    "maxRunsPerWeek",
  ] as const)
    checkNumber(cap, 1, 10_000, "a whole number", true);
  if (draft.timeoutMinutes.trim() === "")
    wrong("timeoutMs", "Every run has a time limit.");
  else checkRange("timeoutMs", draft.timeoutMinutes, 0.1, 1440, "a number");

  function checkNumber(
    field: "maxCostUsd" | "maxRunsPerHour" | "maxRunsPerDay" | "maxRunsPerWeek",
    from: number,
    to: number,
    what: string,
    whole = false,
  ): void {
    const text = draft[field].trim();
    if (text !== "") checkRange(`limits.${field}`, text, from, to, what, whole);
  }

  function checkRange(
    path: string,
    text: string,
    from: number,
    to: number,
    what: string,
    whole = false,
  ): void {
    const value = Number(text.replace(",", "."));
    const fits =
      value >= from && value <= to && (!whole || Number.isInteger(value));
    if (!fits)
      wrong(
        path,
        `Write ${what} from ${from} to ${to.toLocaleString("en-US")}.`,
      );
  }

  return problems;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text);
}
