import type { Field } from "../wire.ts";
import { valueOf, type Changes } from "./formValues.ts";

/** Part of a step by which a number may miss it: the digits of a computer are not exact. */
const STEP_TOLERANCE = 1e-6;

/** What is wrong with the values of a form, by the name of the field. */
export function checkFields(
  fields: readonly Field[],
  changes: Changes,
): Map<string, string> {
  const problems = new Map<string, string>();
  for (const field of fields) {
    const value = valueOf(field, changes);
    const problem =
      typeof value === "string" ? checkField(field, value) : undefined;
    if (problem !== undefined) problems.set(field.name, problem);
  }
  return problems;
}

function checkField(field: Field, value: string): string | undefined {
  if (field.type === "switch") return undefined;
  const text = ["folder", "secret"].includes(field.type) ? value : value.trim();
  if (text === "")
    return field.isRequired
      ? field.type === "choice"
        ? "Choose a value."
        : "Enter a value."
      : undefined;
  if (field.type === "number") return checkNumber(field, text);
  if (field.type === "folder" && !/^(\/|~|[a-z]:[\\/])/i.test(text))
    return "Enter a full path.";
  return undefined;
}

function checkNumber(
  { min, max, step }: Extract<Field, { type: "number" }>,
  text: string,
): string | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return "Enter a number.";
  if (min !== undefined && max !== undefined && (value < min || value > max))
    return `Enter a number from ${write(min)} to ${write(max)}.`;
  if (min !== undefined && value < min) return `Enter at least ${write(min)}.`;
  if (max !== undefined && value > max) return `Enter at most ${write(max)}.`;
  if (step === undefined) return undefined;
  const steps = (value - (min ?? 0)) / step;
  if (Math.abs(steps - Math.round(steps)) <= STEP_TOLERANCE) return undefined;
  return step === 1
    ? "Enter a whole number."
    : `Enter a multiple of ${write(step)}${min ? `, from ${write(min)} on` : ""}.`;
}

const write = (value: number) => value.toLocaleString();
