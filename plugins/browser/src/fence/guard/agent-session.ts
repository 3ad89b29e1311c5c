import type { ProtocolEvent } from "../../protocol/protocol-connection.ts";

const MAX_REQUESTS = 2_000;
/** Domains whose answers and events name nodes. */
const WITH_NODES =
  /^(DOM|DOMSnapshot|Accessibility|DOMDebugger|Overlay|CSS)\.|^Page\.fileChooserOpened$/;
const NODE_ID = /^(backendNodeId|backendDOMNodeId|backendNodeIds)$/;

/** A protocol session of an agent with one of its pages, or with one of the page's frames or workers. */
export class AgentSession {
  readonly sessionId: string;
  readonly targetId: string;
  /** The tab that the session belongs to. */
  readonly rootTargetId: string;
  readonly #nodes = new Set<number>();
  readonly #requests = new Map<string, string>();

  constructor(sessionId: string, targetId: string, rootTargetId: string) {
    this.sessionId = sessionId;
    this.targetId = targetId;
    this.rootTargetId = rootTargetId;
  }

  /** Whether an answer or event of this session has named the node since the document was loaded. */
  isKnownNode(backendNodeId: unknown): boolean {
    return typeof backendNodeId === "number" && this.#nodes.has(backendNodeId);
  }

  urlOfRequest(requestId: unknown): string | undefined {
    return typeof requestId === "string"
      ? this.#requests.get(requestId)
      : undefined;
  }

  /** Another document may be in another process, where the same ids name other nodes. */
  forgetNodes(): void {
    this.#nodes.clear();
  }

  /** Records the nodes that an answer or event names. */
  learnNodes(method: string, content: unknown): void {
    if (WITH_NODES.test(method)) collectNodes(content, this.#nodes);
  }

  /** Records the addresses of requests. */
  learnRequest({ method, params }: ProtocolEvent): void {
    if (
      method !== "Network.requestWillBeSent" &&
      method !== "Fetch.requestPaused"
    )
      return;
    const { requestId, request } = params as {
      requestId: string;
      request: { url: string };
    };
    this.#requests.delete(requestId);
    this.#requests.set(requestId, request.url);
    if (this.#requests.size > MAX_REQUESTS)
      for (const oldest of this.#requests.keys()) {
        this.#requests.delete(oldest);
        break;
      }
  }
}

function collectNodes(root: unknown, found: Set<number>): void {
  // Iterative, since documents can be nested deeper than the call stack allows.
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      if (typeof child === "object") waiting.push(child);
      if (!NODE_ID.test(name)) continue;
      for (const id of [child].flat() as unknown[])
        if (typeof id === "number") found.add(id);
    }
  }
}
