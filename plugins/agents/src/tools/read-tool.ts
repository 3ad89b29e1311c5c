import { readBrowserTool, type BrowserAction } from "./read-browser-tool.ts";
import { diffLines, readPatch, type DiffLine } from "./line-diff.ts";

/** What a tool does, as far as it can be told from its name. */
export type ToolKind =
  | "shell"
  | "edit"
  | "write"
  | "read"
  | "search"
  | "web"
  | "browser"
  | "plan"
  | "other";

/** What changes in one file. */
export interface FileDiff {
  path: string;
  lines: DiffLine[];
}

/** A tool call in parts that a person can read. */
export interface ToolReading {
  kind: ToolKind;
  /** What a tool of a browser does. */
  action: BrowserAction | undefined;
  /** What it is done to: a path, a command, a pattern. One line. */
  subject: string;
  /** The command of a shell. */
  command: string | undefined;
  /** What is changed, file by file. */
  diffs: FileDiff[];
  /** What is written into a new file. */
  content: string | undefined;
  /** The rest of the input by name. */
  fields: { name: string; value: string }[];
}

type Input = Readonly<Record<string, unknown>>;

const KINDS: readonly [RegExp, ToolKind][] = [
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

const PATHS = [
  "path",
  "file_path",
  "filePath",
  "filename",
  "file",
  "notebook_path",
];
const COMMANDS = ["command", "cmd", "script"];
const PATTERNS = ["pattern", "query", "q", "glob", "regex", "url", "prompt"];
const BEFORE = ["oldText", "old_string", "old_str", "oldString", "old_text"];
const AFTER = ["newText", "new_string", "new_str", "newString", "new_text"];
const CONTENTS = ["content", "contents", "file_text", "text"];
const PATCHES = ["patch", "diff", "input"];

/**
 * Reads a tool call. Every CLI names its tools and their input in its own way, so that nothing is relied on; and what
 * is not understood is in `fields`, since a user decides by what is read here.
 */
export function readTool(call: {
  name: string;
  title: string;
  /** The input as JSON, or whatever the CLI gave instead. */
  input: string;
}): ToolReading {
  const input = readInput(call.input);
  // A tool with a command is always shown as a command, since each CLI names its shell differently.
  const action = commandOf(input) ? undefined : readBrowserTool(call, input);
  const kind = action ? "browser" : kindOf(call.name, input);
  const path = find(input, PATHS);
  const command = kind === "shell" ? commandOf(input) : undefined;
  const { diffs, names } =
    kind === "edit"
      ? diffsOf(input, path?.value ?? "")
      : { diffs: [], names: [] };
  const content = kind === "write" ? find(input, CONTENTS) : undefined;
  const subject =
    action?.subject ??
    (command?.value ||
      path?.value ||
      diffs[0]?.path ||
      find(input, PATTERNS)?.value ||
      call.title ||
      call.name);
  const shown = [command?.name, content?.name, ...names];
  if (diffs.length > 0) shown.push(path?.name);
  return {
    ...{ kind, action },
    subject: subject.split("\n", 1)[0] ?? "",
    command: command?.value,
    diffs,
    content: content?.value,
    fields: fieldsOf(input, call.input, shown),
  };
}

/** A part of an input, and under which name it was found. */
interface Found {
  name: string;
  value: string;
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
  const known = KINDS.find(([pattern]) => pattern.test(plain))?.[1];
  if (known) return known;
  return commandOf(input) === undefined ? "other" : "shell";
}

function commandOf(input: Input): Found | undefined {
  const name = ["command", "cmd"].find((key) => Array.isArray(input[key]));
  if (name === undefined) return find(input, COMMANDS);
  const parts = (input[name] as unknown[]).map(String);
  const [shell = "", flag = "", script, ...more] = parts;
  // A shell of the system that is only there to run a line: the line says it all.
  const isWrapped =
    /^((\/usr(\/local)?)?\/bin\/)?(ba|da|z)?sh$/.test(shell) &&
    /^-l?c$/.test(flag);
  const value =
    isWrapped && script !== undefined && more.length === 0
      ? script
      : parts.join(" ");
  return { name, value };
}

/** What is changed, and the names of the input's fields that describe it. */
function diffsOf(
  input: Input,
  path: string,
): { diffs: FileDiff[]; names: string[] } {
  const patch = find(input, PATCHES);
  if (patch)
    return {
      diffs: [{ path, lines: readPatch(patch.value) }],
      names: [patch.name],
    };
  const { edits } = input;
  if (!Array.isArray(edits)) {
    const edit = toDiff(input, path);
    return edit ?? { diffs: [], names: [] };
  }
  const read = edits.map((edit: unknown) => {
    if (typeof edit !== "object" || edit === null)
      return { diffs: [], isWhole: false };
    const { diffs = [], names = [] } = toDiff(edit as Input, path) ?? {};
    const isWhole = Object.keys(edit).every((name) => names.includes(name));
    return { diffs, isWhole };
  });
  return {
    diffs: read.flatMap(({ diffs }) => diffs),
    names: read.every(({ isWhole }) => isWhole) ? ["edits"] : [],
  };
}

function toDiff(
  edit: Input,
  path: string,
): { diffs: FileDiff[]; names: string[] } | undefined {
  const before = find(edit, BEFORE);
  const after = find(edit, AFTER);
  if (!before && !after) return undefined;
  const lines = diffLines(before?.value ?? "", after?.value ?? "");
  // An empty text is found under no name, and there is nothing to show of it.
  const empty = [...BEFORE, ...AFTER].filter((name) => edit[name] === "");
  const names = [before?.name, after?.name].filter(
    (name) => name !== undefined,
  );
  return { diffs: [{ path, lines }], names: [...names, ...empty] };
}

/** What no other part shows. */
function fieldsOf(
  input: Input,
  raw: string,
  shown: readonly (string | undefined)[],
): Found[] {
  const entries = Object.entries(input);
  if (entries.length === 0)
    return /^(\s*|null|\{\})$/.test(raw) ? [] : [{ name: "input", value: raw }];
  return entries
    .filter(([name, value]) => !shown.includes(name) && value !== null)
    .map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : JSON.stringify(value, null, 2),
    }));
}

function find(input: Input, names: readonly string[]): Found | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return { name, value };
  }
  return undefined;
}
