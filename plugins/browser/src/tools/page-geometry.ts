import type { AgentTab } from "./agent-tabs.ts";
import type { Point } from "./page-input.ts";
import type { CallSession } from "./read-tree.ts";
import type { PageNode } from "./refs.ts";
import { ToolProblem } from "./tool-problem.ts";

/** A region of the whole page, for a screenshot. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  scale: 1;
}

/** Maximum depth of nested frames, each with an offset of its own. */
const MAX_DEPTH = 10;

/** The centre of an element in the viewport of its tab. @throws ToolProblem if it has no box */
export async function findPoint(
  ref: string,
  node: PageNode,
  tab: AgentTab,
  call: CallSession,
): Promise<Point> {
  const { quads } = await call<{ quads: number[][] }>(
    "DOM.getContentQuads",
    { backendNodeId: node.backendNodeId },
    node.sessionId,
  );
  const box = toBounds(quads[0]);
  if (!box || box.width === 0 || box.height === 0)
    throw new ToolProblem(
      `${ref} has no place on the page: it is hidden or empty.`,
    );
  const offset = await findOffset(node.sessionId, tab, call);
  return {
    x: offset.x + box.x + box.width / 2,
    y: offset.y + box.y + box.height / 2,
  };
}

/** The box of an element in the whole page. @throws ToolProblem if it has no box */
export async function findBox(
  ref: string,
  node: PageNode,
  tab: AgentTab,
  call: CallSession,
): Promise<Box> {
  const { model } = await call<{ model: { border: number[] } }>(
    "DOM.getBoxModel",
    { backendNodeId: node.backendNodeId },
    node.sessionId,
  );
  const box = toBounds(model.border);
  if (!box || box.width === 0 || box.height === 0)
    throw new ToolProblem(`${ref} has no place on the page.`);
  const offset = await findOffset(node.sessionId, tab, call);
  const { scroll } = await findViewport(tab.sessionId, call);
  return {
    x: offset.x + scroll.x + box.x,
    y: offset.y + scroll.y + box.y,
    width: box.width,
    height: box.height,
    scale: 1,
  };
}

/** Scroll position and size of a page. */
export async function findViewport(
  sessionId: string,
  call: CallSession,
): Promise<{ scroll: Point; content: Box }> {
  const { cssVisualViewport, cssContentSize } = await call<{
    cssVisualViewport: { pageX: number; pageY: number };
    cssContentSize: { width: number; height: number };
  }>("Page.getLayoutMetrics", {}, sessionId);
  const { width, height } = cssContentSize;
  return {
    scroll: { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY },
    content: { x: 0, y: 0, width, height, scale: 1 },
  };
}

/** The offset of a session's frame in its tab. A frame of another site knows only its own coordinates. */
async function findOffset(
  sessionId: string,
  tab: AgentTab,
  call: CallSession,
): Promise<Point> {
  const offset = { x: 0, y: 0 };
  let owner = tab.frameOwners.get(sessionId);
  for (let depth = 0; owner && depth < MAX_DEPTH; depth += 1) {
    const { model } = await call<{ model: { content: number[] } }>(
      "DOM.getBoxModel",
      { backendNodeId: owner.backendNodeId },
      owner.sessionId,
    );
    offset.x += model.content[0] ?? 0;
    offset.y += model.content[1] ?? 0;
    owner = tab.frameOwners.get(owner.sessionId);
  }
  return offset;
}

function toBounds(quad: readonly number[] | undefined) {
  if (!quad) return undefined;
  const across = quad.filter((_value, index) => index % 2 === 0);
  const down = quad.filter((_value, index) => index % 2 === 1);
  const x = Math.min(...across);
  const y = Math.min(...down);
  const width = Math.max(...across) - x;
  return { x, y, width, height: Math.max(...down) - y };
}
