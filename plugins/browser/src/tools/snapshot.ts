import { toSeenText } from "./page-fence.ts";
import type { Refs } from "./refs.ts";

/** A node of the accessibility tree, as `Accessibility.getFullAXTree` gives it. */
export interface AxNode {
  nodeId: string;
  ignored: boolean;
  role?: { value?: unknown };
  name?: { value?: unknown };
  value?: { value?: unknown };
  properties?: { name: string; value: { value?: unknown } }[];
  childIds?: string[];
  backendDOMNodeId?: number;
}

/** The tree of one frame with the trees of its inner frames. */
export interface FrameTree {
  sessionId: string;
  nodes: readonly AxNode[];
  /** Inner frames by the `nodeId` of the element that contains them. */
  frames: ReadonlyMap<string, FrameTree>;
}

/** Maximum size of a snapshot, which is cut beyond it. */
export const MAX_SNAPSHOT_BYTES = 60_000;
const MAX_NAME_LENGTH = 300;
const MAX_URL_LENGTH = 300;
/** Deeper elements are written at this depth: in a deep tree most of the text would be indentation. */
const MAX_INDENT = 20;

/** Roles without meaning of their own; only their children are written. */
const TRANSPARENT_ROLES = new Set([
  "generic",
  "none",
  "InlineTextBox",
  "LineBreak",
  "RootWebArea",
  "ListMarker",
]);

const FLAGS = [
  "checked",
  "disabled",
  "expanded",
  "selected",
  "pressed",
  "required",
  "focused",
];

/** An element to be written, with context from its parents. */
interface Place {
  tree: FrameTree;
  byId: ReadonlyMap<string, AxNode>;
  node: AxNode;
  depth: number;
  /** The name written for the parent, which its text children only repeat. */
  said: string;
}

/**
 * Writes the tree of a page as lines of text, each element with a ref. Stops at `maxBytes` and ends with a line that
 * says so, since a page may be of any size.
 */
export function writeSnapshot(
  root: FrameTree,
  refs: Refs,
  maxBytes = MAX_SNAPSHOT_BYTES,
): string[] {
  refs.begin();
  const lines: string[] = [];
  let bytes = 0;
  // An explicit stack: a page can be nested deeper than the call stack allows.
  const stack: Place[] = startOf(root, 0);
  for (let place = stack.pop(); place; place = stack.pop()) {
    const line = isSilent(place) ? undefined : writeLine(place, refs);
    if (line !== undefined) {
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > maxBytes) {
        lines.push("…more: use browser_find, or scroll and take a screenshot");
        break;
      }
      lines.push(line);
    }
    stack.push(...childrenOf(place, line !== undefined).reverse());
  }
  return lines;
}

function startOf(tree: FrameTree, depth: number): Place[] {
  const byId = new Map(tree.nodes.map((node) => [node.nodeId, node]));
  const [node] = tree.nodes;
  return node ? [{ tree, byId, node, depth, said: "" }] : [];
}

function childrenOf(place: Place, isWritten: boolean): Place[] {
  const { tree, byId, node } = place;
  const depth = place.depth + (isWritten ? 1 : 0);
  const frame = tree.frames.get(node.nodeId);
  if (frame) return startOf(frame, depth);
  const said = (isWritten && nameOf(node)) || place.said;
  const children: Place[] = [];
  for (const id of node.childIds ?? []) {
    const child = byId.get(id);
    if (child) children.push({ tree, byId, node: child, depth, said });
  }
  return children;
}

function isSilent({ node, said }: Place): boolean {
  const role = roleOf(node);
  if (node.ignored || TRANSPARENT_ROLES.has(role)) return true;
  if (role !== "StaticText") return false;
  const name = nameOf(node);
  return name === "" || said.includes(name);
}

function writeLine({ tree, node, depth }: Place, refs: Refs): string {
  const role = roleOf(node);
  const name = nameOf(node);
  const properties = new Map(
    node.properties?.map((one) => [one.name, one.value.value]),
  );
  const parts = [`- ${role === "StaticText" ? "text" : role}`];
  if (name !== "") parts.push(JSON.stringify(name));
  for (const flag of FLAGS) {
    const value = properties.get(flag);
    if (value === undefined || value === false || value === "false") continue;
    const isPlain = value === true || value === "true";
    parts.push(isPlain ? `[${flag}]` : `[${flag}=${toText(value, 20)}]`);
  }
  if (role !== "StaticText" && node.backendDOMNodeId !== undefined) {
    const { sessionId } = tree;
    const backendNodeId = node.backendDOMNodeId;
    parts.push(`[ref=${refs.refOf({ sessionId, backendNodeId })}]`);
  }
  const url = toText(properties.get("url"), MAX_URL_LENGTH);
  if (url !== "") parts.push(url);
  const value = toText(node.value?.value, MAX_NAME_LENGTH);
  const indent = "  ".repeat(Math.min(depth, MAX_INDENT));
  const line = `${indent}${parts.join(" ")}`;
  return value === "" ? line : `${line}: ${JSON.stringify(value)}`;
}

function roleOf(node: AxNode): string {
  return toText(node.role?.value, 40);
}

function nameOf(node: AxNode): string {
  return toText(node.name?.value, MAX_NAME_LENGTH);
}

/** One line with the visible characters of a value from the page. */
function toText(value: unknown, limit: number): string {
  if (typeof value !== "string")
    return typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";
  // Cut first, since it may have any length.
  const isCut = value.length > limit;
  const text = value.slice(0, limit).replace(/\s+/gu, " ");
  return toSeenText(text).trim() + (isCut ? "…" : "");
}
