import type { ProtocolEvent } from "../protocol/protocol-connection.ts";

const MAX_REQUESTS = 2_000;
/** Requests with a longer address are not recorded, so an agent can neither change nor read them. */
const MAX_URL_LENGTH = 8_192;
/** The oldest are dropped when a page has more. */
const MAX_NODES = 100_000;
/** Domains whose answers and events name nodes. */
const WITH_NODES =
  /^(DOM|DOMSnapshot|Accessibility|DOMDebugger|Overlay|CSS)\.|^Page\.fileChooserOpened$/;
const NODE_ID = /^(backendNodeId|backendDOMNodeId|backendNodeIds)$/;

/** A protocol session of an agent with one of its tabs, or with one of the tab's frames or workers. */
export class AgentSession {
  readonly sessionId: string;
  readonly targetId: string;
  /** The session that this one is a child of; `undefined` for one of a tab. */
  readonly parent: AgentSession | undefined;
  /** The tab that the session belongs to. */
  readonly tabId: string;
  /** Number of calls that Chromium has not answered. */
  pendingCalls = 0;
  readonly #nodes = new Set<number>();
  readonly #requests = new Map<string, string>();

  constructor(sessionId: string, targetId: string, parent?: AgentSession) {
    this.sessionId = sessionId;
    this.targetId = targetId;
    this.parent = parent;
    this.tabId = parent?.tabId ?? targetId;
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

  /** Forgets the nodes: another document may be in another process, where the same numbers are other nodes. */
  forgetNodes(): void {
    this.#nodes.clear();
  }

  /** Records the nodes that an answer or event names. */
  learnNodes(method: string, content: unknown): void {
    if (WITH_NODES.test(method))
      collectNodes(content, (node) => addRecent(this.#nodes, node));
  }

  /** Records the address of a request. */
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
    if (request.url.length > MAX_URL_LENGTH) return;
    this.#requests.set(requestId, request.url);
    dropOldest(this.#requests, MAX_REQUESTS);
  }
}

function addRecent(nodes: Set<number>, node: number): void {
  nodes.delete(node);
  nodes.add(node);
  dropOldest(nodes, MAX_NODES);
}

function dropOldest(
  items: Set<number> | Map<string, string>,
  max: number,
): void {
  if (items.size <= max) return;
  const [oldest] = items.keys();
  items.delete(oldest as never);
}

function collectNodes(root: unknown, onNode: (id: number) => void): void {
  // Iterative, since documents can be nested deeper than the call stack allows.
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      if (typeof child === "object") waiting.push(child);
      if (!NODE_ID.test(name)) continue;
      for (const id of [child].flat() as unknown[])
        if (typeof id === "number") onNode(id);
    }
  }
}
