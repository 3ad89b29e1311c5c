import { toTable } from "../../src/language/list-placeholders.ts";
import { scanBody } from "../../src/language/scan-body.ts";
import type { Context, Placeholder } from "../wire.ts";

/** A piece of a body that is filled: plain text, or what stands in the place of a placeholder. */
export interface Segment {
  kind: "text" | "filled" | "missing";
  text: string;
  /** Name of the placeholder. */
  name?: string;
}

/** What will stand in the places of a body, piece by piece: the same that an expansion gives, with its seams visible. */
export function toSegments(
  body: string,
  values: ReadonlyMap<string, string>,
): Segment[] {
  const { parts } = scanBody(body);
  const filled = new Map<string, string>();
  for (const { name, default: standard, optional } of toTable(parts)) {
    const value = values.get(name) || (standard ?? (optional ? "" : undefined));
    if (value !== undefined) filled.set(name, value);
  }
  return parts.map((part) => {
    if (part.kind === "text") return { kind: "text", text: part.text };
    const { name } = part;
    const value = filled.get(name);
    return value === undefined
      ? { kind: "missing", text: body.slice(part.from, part.to), name }
      : { kind: "filled", text: value, name };
  });
}

/** What stands for the target while there is none. */
export const sampleContext: Readonly<Required<Omit<Context, "date">>> = {
  cwd: "/home/ada/code/shop",
  workspace: "shop",
  branch: "main",
  agent: "Ada",
  cli: "pi",
};

/** Values to show a body with before any were entered. */
export function toSamples(
  placeholders: readonly Placeholder[],
  today: string,
): ReadonlyMap<string, string> {
  const samples = new Map(Object.entries({ ...sampleContext, date: today }));
  for (const {
    name,
    default: standard,
    enum: values,
    reserved,
  } of placeholders)
    if (!reserved)
      samples.set(name, standard ?? values?.[0] ?? name.replaceAll("_", " "));
  return samples;
}

/** A day as `{{date}}` has it, on the clocks here. */
export function toDay(at: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
