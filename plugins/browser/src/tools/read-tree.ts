import type { AgentTab } from "./agent-tabs.ts";
import type { AxNode, FrameTree } from "./snapshot.ts";
import { ToolProblem } from "./tool-problem.ts";

/** Frames that are read for one snapshot. */
const MAX_FRAMES = 50;
const MAX_FRAME_DEPTH = 6;

/** A page with more nodes is not read as text: its tree would take hundreds of megabytes. */
export const MAX_PAGE_NODES = 60_000;
/** Nor is a page with a larger area: a single node can contain all of its text. */
const MAX_PAGE_PIXELS = 300_000_000;

/** Makes one call to a session of the page. */
export type CallSession = <Result>(
  method: string,
  params: Record<string, unknown>,
  sessionId: string,
) => Promise<Result>;

/**
 * Reads the accessibility tree of a tab and of its frames, including those of other sites.
 *
 * @throws ToolProblem for a page that is too large to be read
 */
export async function readTree(
  tab: AgentTab,
  call: CallSession,
): Promise<FrameTree> {
  await checkSize(tab.sessionId, call);
  let framesLeft = MAX_FRAMES;

  async function readFrame(
    sessionId: string,
    frameId: string | undefined,
    depth: number,
  ): Promise<FrameTree> {
    const { nodes } = await call<{ nodes: AxNode[] }>(
      "Accessibility.getFullAXTree",
      frameId === undefined ? {} : { frameId },
      sessionId,
    );
    const frames = new Map<string, FrameTree>();
    for (const node of nodes) {
      if (node.role?.value !== "Iframe" || depth >= MAX_FRAME_DEPTH) continue;
      if (framesLeft <= 0) break;
      framesLeft -= 1;
      const inner = await readInner(node, sessionId, depth + 1);
      if (inner) frames.set(node.nodeId, inner);
    }
    return { sessionId, nodes, frames };
  }

  /** `undefined` for a frame that has gone or cannot be read; the rest of the page still can. */
  async function readInner(
    { backendDOMNodeId: backendNodeId }: AxNode,
    sessionId: string,
    depth: number,
  ): Promise<FrameTree | undefined> {
    try {
      const { node } = await call<{ node: { frameId?: string } }>(
        "DOM.describeNode",
        { backendNodeId },
        sessionId,
      );
      if (node.frameId === undefined) return undefined;
      const own = tab.frames.get(node.frameId);
      if (own === undefined)
        return await readFrame(sessionId, node.frameId, depth);
      if (backendNodeId !== undefined)
        tab.frameOwners.set(own, { sessionId, backendNodeId });
      await checkSize(own, call);
      return await readFrame(own, undefined, depth);
    } catch (error) {
      if (error instanceof ToolProblem) return undefined;
      throw error;
    }
  }

  return await readFrame(tab.sessionId, undefined, 0);
}

async function checkSize(sessionId: string, call: CallSession): Promise<void> {
  await call("Performance.enable", {}, sessionId);
  const { metrics } = await call<{
    metrics: { name: string; value: number }[];
  }>("Performance.getMetrics", {}, sessionId);
  const nodes = metrics.find(({ name }) => name === "Nodes")?.value ?? 0;
  if (nodes > MAX_PAGE_NODES) await checkNodes(sessionId, call);
  const { cssContentSize } = await call<{
    cssContentSize: { width: number; height: number };
  }>("Page.getLayoutMetrics", {}, sessionId);
  const pixels = cssContentSize.width * cssContentSize.height;
  if (pixels > MAX_PAGE_PIXELS)
    throw tooLarge(
      `${Math.round(cssContentSize.height)} pixels high and ${Math.round(cssContentSize.width)} wide`,
    );
}

/**
 * The cheaper count includes nodes of earlier pages until Chromium has freed them; this one counts the current page
 * only.
 */
async function checkNodes(sessionId: string, call: CallSession): Promise<void> {
  await call("DOM.enable", {}, sessionId);
  await call("DOM.getDocument", { depth: 0 }, sessionId);
  const { resultCount } = await call<{ resultCount: number }>(
    "DOM.performSearch",
    { query: "//node()" },
    sessionId,
  );
  // Discards the search results.
  await call("DOM.disable", {}, sessionId);
  if (resultCount > MAX_PAGE_NODES)
    throw tooLarge(`${resultCount} nodes, the most is ${MAX_PAGE_NODES}`);
}

function tooLarge(what: string): ToolProblem {
  return new ToolProblem(
    `This page is too large to be read as text (${what}). Take a screenshot, or open a smaller part of it.`,
  );
}
