import type { ToolCall } from "../conversation/rows.ts";
import { diffLines, readPatch, type DiffLine } from "./lineDiff.ts";

/** What a tool does, as far as it can be told from its name. */
export type ToolKind =
  "shell" | "edit" | "write" | "read" | "search" | "web" | "plan" | "other";

/** A tool call in words and parts that a page can show. */
export interface ToolView {
  kind: ToolKind;
  /** What was done: `Edited`. */
  verb: string;
  /** What it was done to: a path, a command, a pattern. */
  subject: string;
  /** The command of a shell. */
  command: string | undefined;
  /** What was changed, file by file. */
  diffs: { path: string; lines: DiffLine[] }[];
  /** What was written into a new file. */
  content: string | undefined;
  /** The rest of the input by name. */
  fields: { name: string; value: string }[];
}

type Input = Readonly<Record<string, unknown>>;

const kinds: readonly [RegExp, ToolKind][] = [
  [
    /^(bash|shell|exec|execute|exec_command|run|run_.*|terminal|command)$/,
    "shell",
  ],
  [/(^|_)(edit|str_replace|replace|patch|multiedit)(_|$)|apply_patch/, "edit"],
  [/^(write|create)(_?file)?$|^write_/, "write"],
  [/^(read|view|cat|open)(_?file)?$|^read_/, "read"],
  [/grep|glob|find|search|^ls$|^list/, "search"],
  [/fetch|browse|^web/, "web"],
  [/todo|plan|task|checklist/, "plan"],
];

const verbs: Readonly<Record<ToolKind, readonly [string, string]>> = {
  shell: ["Ran", "Running"],
  edit: ["Edited", "Editing"],
  write: ["Wrote", "Writing"],
  read: ["Read", "Reading"],
  search: ["Searched", "Searching"],
  web: ["Fetched", "Fetching"],
  plan: ["Planned", "Planning"],
  other: ["Used", "Using"],
};

const paths = [
  "path",
  "file_path",
  "filePath",
  "filename",
  "file",
  "notebook_path",
];
const commands = ["command", "cmd", "script"];
const patterns = ["pattern", "query", "q", "glob", "regex", "url", "prompt"];
const before = ["oldText", "old_string", "old_str", "oldString", "old_text"];
const after = ["newText", "new_string", "new_str", "newString", "new_text"];
const contents = ["content", "contents", "file_text", "text"];
const patches = ["patch", "diff", "input"];

/** Reads a tool call. Every CLI names its tools and their input in its own way, so that nothing is relied on. */
export function describeTool(call: ToolCall): ToolView {
  const input = readInput(call.input);
  const kind = kindOf(call.name, input);
  const verb = verbs[kind][call.state === "running" ? 1 : 0];
  const path = text(input, paths);
  const command = kind === "shell" ? commandOf(input) : undefined;
  const diffs = kind === "edit" ? diffsOf(input, path ?? "") : [];
  const content = kind === "write" ? text(input, contents) : undefined;
  const subject =
    command ?? path ?? diffs[0]?.path ?? text(input, patterns) ?? call.title;
  return {
    kind,
    verb: kind === "other" ? `${verb} ${call.name}` : verb,
    subject: (subject || call.name).split("\n", 1)[0] ?? "",
    command,
    diffs,
    content,
    fields: fieldsOf(input, call.input, {
      command,
      diffs,
      content,
      path: diffs.length > 0 ? path : undefined,
    }),
  };
}

/** The input as the CLI sent it: an object as JSON, or a plain text. */
function readInput(text: string): Input {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Input;
  } catch {
    // Cut, or never JSON: it is shown as it is.
  }
  return {};
}

function kindOf(name: string, input: Input): ToolKind {
  const plain = name.toLowerCase().replace(/[\s.-]+/g, "_");
  const known = kinds.find(([pattern]) => pattern.test(plain))?.[1];
  if (known) return known;
  return commandOf(input) === undefined ? "other" : "shell";
}

function commandOf(input: Input): string | undefined {
  const parts = input["command"] ?? input["cmd"];
  if (Array.isArray(parts)) return parts.map(String).join(" ");
  return text(input, commands);
}

function diffsOf(input: Input, path: string): ToolView["diffs"] {
  const patch = text(input, patches);
  if (patch !== undefined) return [{ path, lines: readPatch(patch) }];
  const edits = Array.isArray(input["edits"]) ? input["edits"] : [input];
  return edits.flatMap((edit: unknown) => {
    if (typeof edit !== "object" || edit === null) return [];
    const old = text(edit as Input, before);
    const next = text(edit as Input, after);
    if (old === undefined && next === undefined) return [];
    return [{ path, lines: diffLines(old ?? "", next ?? "") }];
  });
}

/** What no other part shows. */
function fieldsOf(
  input: Input,
  raw: string,
  shown: {
    command: string | undefined;
    diffs: unknown[];
    content: string | undefined;
    path: string | undefined;
  },
): ToolView["fields"] {
  const hidden = new Set<string>([
    ...(shown.command === undefined ? [] : commands),
    ...(shown.diffs.length > 0
      ? [...before, ...after, ...patches, "edits"]
      : []),
    ...(shown.content === undefined ? [] : contents),
    ...(shown.path === undefined ? [] : paths),
  ]);
  const entries = Object.entries(input);
  if (entries.length === 0)
    return /^(\s*|null|\{\})$/.test(raw) ? [] : [{ name: "input", value: raw }];
  return entries
    .filter(([name, value]) => !hidden.has(name) && value !== null)
    .map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : JSON.stringify(value, null, 2),
    }));
}

function text(input: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}
