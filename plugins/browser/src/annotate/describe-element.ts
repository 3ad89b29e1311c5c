import { openWorld } from "../view/isolated-world.ts";
import type { TabSession } from "../view/tab-session.ts";
import { DESCRIBE_SCRIPT } from "./describe-script.ts";
import type { FoundElement } from "./find-element.ts";

const LIMITS = { text: 2_000, style: 500, levels: 64 };

/** CSS properties that are kept with an annotation. */
const STYLES = [
  ...["display", "position", "width", "height", "margin", "padding"],
  ...["border", "border-radius", "color", "background-color"],
  ...["font-family", "font-size", "font-weight", "line-height"],
  ...["text-align", "white-space", "overflow", "opacity", "z-index"],
  ...["box-shadow", "gap", "flex-direction", "align-items"],
  "justify-content",
];

/** What an element says of itself. */
export interface ElementDescription {
  /** Steps into frames and shadow roots are joined by ` >>> `. */
  selector: string;
  text: string;
  /** Its tag, and its id if that is stable. */
  label: string;
  styles: { name: string; value: string }[];
}

/**
 * Describes an element, invisibly to the page's scripts.
 *
 * @returns `undefined` if it was removed
 */
export async function describeElement(
  found: FoundElement,
): Promise<ElementDescription | undefined> {
  const own = await describeInFrame(found);
  if (!own) return undefined;
  const frames = await describeFrames(found);
  return { ...own, selector: [...frames, own.selector].join(" >>> ") };
}

/** The selectors of the frames around an element, the outermost first. */
async function describeFrames(found: FoundElement): Promise<string[]> {
  const { session, frameId, owner } = found;
  if (frameId === session.targetId) {
    if (!owner) return [];
    const described = await describeInFrame(owner);
    return [...(await describeFrames(owner)), described?.selector ?? "iframe"];
  }
  const { frameTree } = await session.call<{ frameTree: FrameTree }>(
    "Page.getFrameTree",
  );
  const { backendNodeId } = await session.call<{ backendNodeId: number }>(
    "DOM.getFrameOwner",
    { frameId },
  );
  const parentId = findParent(frameTree, frameId) ?? session.targetId;
  const parent = { ...found, backendNodeId, frameId: parentId };
  const described = await describeInFrame(parent);
  return [...(await describeFrames(parent)), described?.selector ?? "iframe"];
}

interface FrameTree {
  frame: { id: string; parentId?: string };
  childFrames?: FrameTree[];
}

function findParent(tree: FrameTree, frameId: string): string | undefined {
  if (tree.frame.id === frameId) return tree.frame.parentId;
  for (const child of tree.childFrames ?? []) {
    const found = findParent(child, frameId);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function describeInFrame({
  session,
  backendNodeId,
  frameId,
}: Pick<FoundElement, "session" | "backendNodeId" | "frameId">): Promise<
  ElementDescription | undefined
> {
  const objectId = await resolveNode(session, backendNodeId, frameId);
  const { result } = await session.call<{
    result: { value?: ElementDescription | null };
  }>("Runtime.callFunctionOn", {
    objectId,
    functionDeclaration: DESCRIBE_SCRIPT,
    arguments: [{ value: LIMITS }, { value: STYLES }],
    returnByValue: true,
  });
  session.post("Runtime.releaseObject", { objectId });
  return result.value ?? undefined;
}

/** A node as an object of the isolated world of its frame. */
async function resolveNode(
  session: TabSession,
  backendNodeId: number,
  frameId: string,
): Promise<string> {
  const executionContextId = await openWorld(session, frameId);
  const { object } = await session.call<{ object: { objectId: string } }>(
    ...(["DOM.resolveNode", { backendNodeId, executionContextId }] as const),
  );
  return object.objectId;
}
