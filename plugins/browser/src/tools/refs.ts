import { ToolProblem } from "./tool-problem.ts";

/** An element of a page: its node id in the process of the session. */
export interface PageNode {
  sessionId: string;
  backendNodeId: number;
}

/** Maximum of remembered elements. Beyond it numbering continues, and elements get new refs. */
const MAX_REMEMBERED = 20_000;

/**
 * Names for the elements that an agent works with. An element keeps its ref as long as the page is open, and no ref is
 * reused, so an old one cannot refer to another element. Only refs of the newest snapshot are valid.
 */
export class Refs {
  #last = 0;
  #known = new Map<string, string>();
  #current = new Map<string, PageNode>();

  /** Starts a new snapshot. */
  begin(): void {
    this.#current = new Map();
    if (this.#known.size > MAX_REMEMBERED) this.#known.clear();
  }

  /** Returns the ref of an element and adds it to the newest snapshot. */
  refOf(node: PageNode): string {
    const key = `${node.sessionId}:${node.backendNodeId}`;
    let ref = this.#known.get(key);
    if (ref === undefined) {
      ref = `e${(this.#last += 1)}`;
      this.#known.set(key, ref);
    }
    this.#current.set(ref, node);
    return ref;
  }

  /** @throws ToolProblem for a ref that is not in the newest snapshot */
  find(ref: string): PageNode {
    const node = this.#current.get(ref);
    if (!node)
      throw new ToolProblem(
        `${ref} is not in the newest snapshot; take one with browser_snapshot.`,
      );
    return node;
  }

  /** Forgets all refs; called when the page changes. */
  clear(): void {
    this.#known.clear();
    this.#current.clear();
  }
}
