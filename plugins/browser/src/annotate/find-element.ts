import type { TabSession } from "../view/tab-session.ts";
import type { FrameSessions } from "./frame-sessions.ts";

/** A rectangle in CSS pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A point in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

/** An element that was found at a point of the picture. */
export interface FoundElement {
  session: TabSession;
  backendNodeId: number;
  /** The frame whose document it is in. */
  frameId: string;
  /** Where it is in the view. */
  box: Box;
  /** The element that shows the frame of another site which it is in. */
  owner: FoundElement | undefined;
}

/** Frames in frames that are followed into other processes. */
const MAX_DEPTH = 8;

/**
 * Finds the element that a click at a point of the view would hit, also in frames and shadow roots. The view is what a
 * page has room for; a page that is zoomed out to fit a phone is smaller in the picture.
 *
 * @throws an Error if nothing is drawn there, or the page was replaced in the meantime
 */
export async function findElement(
  session: TabSession,
  frames: FrameSessions,
  point: Point,
  owner?: FoundElement,
): Promise<FoundElement> {
  const [{ scroll }] = await Promise.all([
    readViewport(session),
    session.call("DOM.enable"),
  ]);
  const node = await session.call<{ backendNodeId: number; frameId: string }>(
    "DOM.getNodeForLocation",
    {
      // Chromium takes a point of the document, and gives boxes in the view.
      x: Math.round(scroll.x + point.x),
      y: Math.round(scroll.y + point.y),
      ignorePointerEventsNone: false,
    },
  );
  const { backendNodeId, frameId } = node;
  const { model } = await session.call<{
    model: { border: number[]; content: number[] };
  }>("DOM.getBoxModel", { backendNodeId });
  const found: FoundElement = {
    ...{ session, backendNodeId, frameId, owner, box: toBox(model.border) },
  };
  const inner = await openFrame(found, frames);
  if (!inner || depthOf(found) >= MAX_DEPTH) return found;
  const content = toBox(model.content);
  const inside = await findElement(
    ...([inner, frames] as const),
    { x: point.x - content.x, y: point.y - content.y },
    found,
  );
  const { x, y } = inside.box;
  return {
    ...inside,
    box: { ...inside.box, x: x + content.x, y: y + content.y },
  };
}

/** The session with the frame of another site that an element shows; `undefined` for any other element. */
async function openFrame(
  { session, backendNodeId }: FoundElement,
  frames: FrameSessions,
): Promise<TabSession | undefined> {
  const { node } = await session.call<{ node: { frameId?: string } }>(
    ...(["DOM.describeNode", { backendNodeId, depth: 0 }] as const),
  );
  // The root of a document has the id of its own frame.
  return node.frameId === undefined || node.frameId === session.targetId
    ? undefined
    : await frames.open(node.frameId);
}

/** The part of a page that is shown, in CSS pixels. */
export interface Viewport {
  /** How far the document is scrolled. */
  scroll: Point;
  /** Where the picture begins in the view, and how much it is enlarged; less than 1 on a phone. */
  offset: Point;
  scale: number;
}

/** Reads what is shown of the document of a session. */
export async function readViewport(session: TabSession): Promise<Viewport> {
  const { cssLayoutViewport: layout, cssVisualViewport: visual } =
    await session.call<{
      cssLayoutViewport: { pageX: number; pageY: number };
      cssVisualViewport: { offsetX: number; offsetY: number; scale: number };
    }>("Page.getLayoutMetrics");
  return {
    scroll: { x: layout.pageX, y: layout.pageY },
    offset: { x: visual.offsetX, y: visual.offsetY },
    scale: visual.scale || 1,
  };
}

function depthOf({ owner }: FoundElement): number {
  return owner ? 1 + depthOf(owner) : 0;
}

/** The rectangle around a quad: four corners, x and y each. */
function toBox(quad: readonly number[]): Box {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
