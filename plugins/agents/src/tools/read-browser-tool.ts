/** What a tool of a browser does, as the verb of a sentence: when it is done, and while it runs. */
export interface BrowserAction {
  verbs: readonly [done: string, running: string];
  /** What it is done to; empty if the verb says it all. */
  subject: string;
}

type Input = Readonly<Record<string, unknown>>;
type Describe = (input: Input) => BrowserAction;

/** Names that stand for a kind of tool, and not for the tool. */
const GENERIC_NAMES = /^(other|tool|mcp|fetch)$/i;

/** Before the name stands the server's, and behind it Gemini CLI's remark. */
const NAME =
  /(?:^|[_\s./:-])(browser_[a-z]+(?:_[a-z]+)*)(?: \([^()]+ MCP Server\))?$/i;

const done =
  (past: string, present: string, ...names: string[]): Describe =>
  (input) => ({
    verbs: [past, present],
    subject: names.map((name) => toText(input[name])).find(Boolean) ?? "",
  });

/** Ways of navigation that are no address. */
const WAYS: Readonly<Record<string, Describe>> = {
  back: done("Went back", "Going back"),
  forward: done("Went forward", "Going forward"),
  reload: done("Reloaded the page", "Reloading the page"),
  close: done("Closed the tab", "Closing the tab"),
};

/** Our own tools, and those of the same names that other servers offer. */
const ACTIONS: Readonly<Record<string, Describe>> = {
  browser_navigate(input) {
    const to = toText(input["to"]) || toText(input["url"]);
    const way = Object.hasOwn(WAYS, to) ? WAYS[to] : undefined;
    if (way) return way(input);
    if (/^tab \d+$/.test(to))
      return { verbs: ["Showed", "Showing"], subject: to };
    return { verbs: ["Opened", "Opening"], subject: to };
  },
  browser_navigate_back: done("Went back", "Going back"),
  browser_close: done("Closed the tab", "Closing the tab"),
  browser_click: done("Clicked", "Clicking", "element", "ref"),
  browser_hover: done("Pointed at", "Pointing at", "element", "ref"),
  browser_type: done("Typed into", "Typing into", "element", "ref"),
  browser_press: done("Pressed", "Pressing", "key"),
  browser_press_key: done("Pressed", "Pressing", "key"),
  browser_select: done("Chose", "Choosing", "label"),
  browser_select_option: done("Chose", "Choosing", "values"),
  browser_scroll: (input) =>
    toText(input["ref"]) === ""
      ? done("Scrolled the page", "Scrolling the page")(input)
      : done("Scrolled to", "Scrolling to", "ref")(input),
  browser_upload: done("Uploaded", "Uploading", "files"),
  browser_file_upload: done("Uploaded", "Uploading", "paths"),
  browser_dialog: toDialogAction,
  browser_handle_dialog: toDialogAction,
  browser_viewport: done("Showed as on a", "Showing as on a", "screen"),
  browser_snapshot: done("Read the page", "Reading the page"),
  browser_screenshot: toPictureAction,
  browser_take_screenshot: toPictureAction,
  browser_find: done(
    "Looked in the page for",
    "Looking in the page for",
    "text",
  ),
  browser_wait: toWaitAction,
  browser_wait_for: toWaitAction,
  browser_evaluate: done(
    ...([
      "Ran a script",
      "Running a script",
      "expression",
      "function",
    ] as const),
  ),
  browser_protocol: done("Called", "Calling", "method"),
};

/** Reads a call of a tool of a browser; `undefined` if it is none that is known. */
export function readBrowserTool(
  { name, title }: { name: string; title: string },
  input: Input,
): BrowserAction | undefined {
  const tool = NAME.exec(GENERIC_NAMES.test(name) ? title : name)?.[1];
  const action = tool?.toLowerCase() ?? "";
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action]?.(input) : undefined;
}

function toDialogAction({ accept }: Input): BrowserAction {
  return accept === true
    ? { verbs: ["Accepted the dialog", "Accepting the dialog"], subject: "" }
    : { verbs: ["Dismissed the dialog", "Dismissing the dialog"], subject: "" };
}

function toPictureAction(input: Input): BrowserAction {
  const subject = toText(input["element"]) || toText(input["ref"]);
  return subject === ""
    ? {
        verbs: ["Took a picture of the page", "Taking a picture of the page"],
        subject,
      }
    : { verbs: ["Took a picture of", "Taking a picture of"], subject };
}

function toWaitAction(input: Input): BrowserAction {
  const subject = toText(input["text"]);
  return subject === ""
    ? { verbs: ["Waited", "Waiting"], subject }
    : { verbs: ["Waited for", "Waiting for"], subject };
}

/** A text, or several, in one line. */
function toText(value: unknown): string {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  return parts
    .filter((part) => typeof part === "string")
    .join(", ")
    .replace(/\s+/g, " ")
    .trim();
}
