import { diffLines, type DiffLine } from "./line-diff.ts";
import { readTool, type FileDiff } from "./read-tool.ts";

/** What is known of a tool that asks whether it may run. */
export interface RequestedTool {
  name: string;
  title: string;
  /** Its input as JSON, or whatever the CLI gave instead. */
  input: string;
  /** Files that it would change, if the CLI shows that beside the input. */
  changes?: readonly { path: string; before: string; after: string }[];
  /** What the CLI says of it in words. */
  notes?: readonly string[];
  /** Files that it is about. */
  paths?: readonly string[];
}

/** Lines that stay around a change. */
const CONTEXT = 3;

/**
 * Puts a tool's request into words: what it is in the title; the command, the path, the change and whatever else is
 * known in the body, each once.
 */
export function toRequest(tool: RequestedTool): {
  title: string;
  body: string;
} {
  const reading = readTool(tool);
  const named = tool.title.trim() || tool.name;
  const isBare = named.toLowerCase() === tool.name.toLowerCase();
  const { subject } = reading;
  const title =
    isBare && subject !== "" && subject !== named
      ? `${named}: ${subject}`
      : named;
  const diffs = tool.changes?.length
    ? tool.changes.map(({ path, before, after }) => ({
        path,
        lines: diffLines(before, after),
      }))
    : reading.diffs;
  const said = isBare ? [title, named, subject] : [title];
  const parts = [
    reading.command,
    ...(tool.notes ?? []),
    ...(tool.paths ?? []).filter((path) => !isNamed(path, tool, diffs)),
    toFields(reading.fields, said),
    ...diffs.map(toPatch),
    reading.content,
  ];
  const body = parts.filter(
    (part) => part !== undefined && part !== "" && !said.includes(part),
  );
  return { title, body: body.join("\n\n") };
}

/** Whether another part shows a path already. */
function isNamed(
  path: string,
  { title, input }: RequestedTool,
  diffs: readonly FileDiff[],
): boolean {
  return (
    title.includes(path) ||
    input.includes(JSON.stringify(path)) ||
    diffs.some((diff) => diff.path === path)
  );
}

function toFields(
  fields: readonly { name: string; value: string }[],
  said: readonly string[],
): string {
  return fields
    .filter(({ value }) => !said.includes(value))
    .map(({ name, value }) =>
      value.includes("\n") ? `${name}:\n${value}` : `${name}: ${value}`,
    )
    .join("\n");
}

/** A change as people know it: the path, and the lines that differ between a few that stay. */
function toPatch({ path, lines }: FileDiff): string {
  if (lines.every(({ sign }) => sign === " ")) return `${path}: no change`;
  const isNear = (index: number) =>
    lines
      .slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ sign }) => sign !== " ");
  const shown: string[] = path === "" ? [] : [path];
  let wasLeftOut = false;
  for (const [index, line] of lines.entries()) {
    if (!isNear(index)) {
      wasLeftOut = true;
      continue;
    }
    if (wasLeftOut) shown.push("…");
    wasLeftOut = false;
    shown.push(toLine(line));
  }
  if (wasLeftOut) shown.push("…");
  return shown.join("\n");
}

function toLine({ sign, text }: DiffLine): string {
  return sign === "@" ? text : `${sign}${text}`;
}
