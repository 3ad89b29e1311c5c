import { diffLines, type DiffLine } from "./line-diff.ts";
import { readTool, type FileDiff } from "./read-tool.ts";

/** A tool call for which the CLI asks for permission. */
export interface RequestedTool {
  name: string;
  title: string;
  /** Its input as JSON, or as the CLI sent it. */
  input: string;
  /** Files that it would change, if the CLI reports that separately from the input. */
  changes?: readonly { path: string; before: string; after: string }[];
  /** Descriptions by the CLI. */
  notes?: readonly string[];
  /** Files that it concerns. */
  paths?: readonly string[];
}

/** Unchanged lines around a change. */
const CONTEXT = 3;

/**
 * Describes a tool's request: what it is in the title; command, path, change and everything else that is known in the
 * body, each once.
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

/** Whether another part already shows a path. */
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

/** A change in the usual form: the path, and the changed lines with some context. */
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
