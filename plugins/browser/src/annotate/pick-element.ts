import type { TabSession } from "../view/tab-session.ts";
import type { AnnotationDraft, Box } from "./draft.ts";
import { DESCRIBE_SCRIPT } from "./selector-script.ts";

const MAX_TEXT_CHARS = 500;
const MAX_HTML_CHARS = 2_000;
/** Space around the element in its picture. */
const PICTURE_MARGIN = 8;
const MAX_PICTURE_SIDE = 1_600;
/** Base64 characters of a picture; a larger one is left out. */
const MAX_PICTURE_CHARS = 2_700_000;

/** CSS properties that are kept with an annotation. */
const STYLES = [
  ..."display position width height margin padding".split(" "),
  ..."border border-radius color background-color".split(" "),
  ..."font-family font-size font-weight line-height".split(" "),
  ..."text-align white-space overflow opacity z-index".split(" "),
  ..."box-shadow gap flex-direction align-items".split(" "),
  "justify-content",
];

/** An element of the page. */
export interface PickedElement {
  backendNodeId: number;
  frameId: string | undefined;
  box: Box;
}

/** What an annotation keeps, and the label shown while the pointer is over the element. */
export interface ElementDescription {
  draft: AnnotationDraft;
  label: string;
}

/** The element at a point of the page, `undefined` if there is none. */
export async function pickElement(
  session: TabSession,
  x: number,
  y: number,
): Promise<PickedElement | undefined> {
  await session.call("DOM.enable");
  try {
    const node = await session.call<{
      backendNodeId: number;
      frameId?: string;
    }>("DOM.getNodeForLocation", {
      x: Math.round(x),
      y: Math.round(y),
      includeUserAgentShadowDOM: false,
    });
    const { backendNodeId, frameId } = node;
    const { model } = await session.call<{ model: BoxModel }>(
      "DOM.getBoxModel",
      { backendNodeId },
    );
    return { backendNodeId, frameId, box: toBox(model) };
  } catch (error) {
    // Nothing is drawn at this point, or the element was removed in the meantime.
    if ((error as { code?: unknown }).code === "BROWSER_PROTOCOL")
      return undefined;
    throw error;
  }
}

interface BoxModel {
  /** Four corners, x and y each. */
  border: number[];
  width: number;
  height: number;
}

function toBox({ border }: BoxModel): Box {
  const xs = border.filter((_, index) => index % 2 === 0);
  const ys = border.filter((_, index) => index % 2 === 1);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/**
 * Reads everything that an annotation keeps of an element. Draws nothing in the page and stays invisible to its
 * scripts.
 */
export async function describeElement(
  session: TabSession,
  element: PickedElement,
): Promise<ElementDescription> {
  const { backendNodeId, box, frameId = session.mainFrameId } = element;
  const { executionContextId } = await session.call<{
    executionContextId: number;
  }>("Page.createIsolatedWorld", { frameId, worldName: "gantry" });
  const { object } = await session.call<{ object: { objectId: string } }>(
    "DOM.resolveNode",
    { backendNodeId, executionContextId },
  );
  const { result } = await session.call<{
    result: {
      value: Omit<AnnotationDraft, "styles" | "box" | "screenshot"> & {
        label: string;
      };
    };
  }>("Runtime.callFunctionOn", {
    objectId: object.objectId,
    functionDeclaration: DESCRIBE_SCRIPT,
    arguments: [{ value: MAX_TEXT_CHARS }, { value: MAX_HTML_CHARS }],
    returnByValue: true,
  });
  session.post("Runtime.releaseObject", { objectId: object.objectId });
  const { label, ...page } = result.value;
  return {
    label,
    draft: {
      ...page,
      box,
      styles: await readStyles(session, backendNodeId),
      screenshot: await takePicture(session, box),
    },
  };
}

async function readStyles(
  session: TabSession,
  backendNodeId: number,
): Promise<AnnotationDraft["styles"]> {
  try {
    await session.call("CSS.enable");
    await session.call("DOM.getDocument", { depth: 0 });
    const { nodeIds } = await session.call<{ nodeIds: number[] }>(
      "DOM.pushNodesByBackendIdsToFrontend",
      { backendNodeIds: [backendNodeId] },
    );
    const { computedStyle } = await session.call<{
      computedStyle: { name: string; value: string }[];
    }>("CSS.getComputedStyleForNode", { nodeId: nodeIds[0] });
    const all = new Map(computedStyle.map(({ name, value }) => [name, value]));
    return STYLES.flatMap((name) => {
      const value = all.get(name);
      return value === undefined ? [] : [{ name, value: value.slice(0, 500) }];
    });
  } catch (error) {
    // Text nodes have no styles.
    if ((error as { code?: unknown }).code === "BROWSER_PROTOCOL") return [];
    throw error;
  } finally {
    session.post("CSS.disable");
  }
}

async function takePicture(
  session: TabSession,
  box: Box,
): Promise<string | null> {
  const { cssVisualViewport: viewport } = await session.call<{
    cssVisualViewport: { pageX: number; pageY: number };
  }>("Page.getLayoutMetrics");
  const side = (length: number) =>
    Math.min(length + 2 * PICTURE_MARGIN, MAX_PICTURE_SIDE);
  const { data } = await session.call<{ data: string }>(
    "Page.captureScreenshot",
    {
      format: "png",
      captureBeyondViewport: true,
      clip: {
        x: Math.max(0, box.x - PICTURE_MARGIN + viewport.pageX),
        y: Math.max(0, box.y - PICTURE_MARGIN + viewport.pageY),
        width: side(box.width),
        height: side(box.height),
        scale: 1,
      },
    },
  );
  return data.length > MAX_PICTURE_CHARS
    ? null
    : `data:image/png;base64,${data}`;
}
