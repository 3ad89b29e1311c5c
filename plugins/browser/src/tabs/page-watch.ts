import type { Clock } from "@gantry/plugin";
import type {
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";

/**
 * How long a dialog stays open that neither a user nor an agent sees. A page that opens one after the other costs two calls a
 * second.
 */
export const DIALOG_MS = 500;
/** How long an agent has to answer a dialog, since its page does nothing else. */
export const AGENT_DIALOG_MS = 60_000;
/** Dialogs in a row after which the page is said to be stuck. */
export const MAX_DIALOGS = 10;

const DIALOG_PROBLEM =
  "This page opens one dialog after another and cannot be used. Close the tab.";

/** The part of `Page.Frame` that is read. */
interface Frame {
  /** Missing in the main frame. */
  parentId?: string;
  unreachableUrl?: string;
}

/** Tells who uses a tab, and then answers its dialogs. */
export interface TabUsers {
  /** Whether a person looks at it. */
  hasViewer(targetId: string): boolean;
  /** Whether an agent uses it. */
  hasAgent(targetId: string): boolean;
}

/** Dependencies of {@link PageWatch}. */
export interface PageWatchOptions {
  protocol: ProtocolConnection;
  clock: Pick<Clock, "after">;
  users: TabUsers | undefined;
  /** Called when a page shows nothing of use, with the reason and what to do; `null` when it shows a page again. */
  onProblem(targetId: string, problem: string | null): void;
  /** Why a page with this address could not be reached. */
  describeUnreachable(url: string): string;
}

/** Follows the pages of one browser: dismisses their dialogs, and reports pages that were not reached. */
export class PageWatch {
  readonly #options: PageWatchOptions;
  /** Targets by their sessions. */
  readonly #targets = new Map<string, string>();
  /** Sessions by their targets. */
  readonly #sessions = new Map<string, Promise<string | undefined>>();
  /** Cancel the dismissal of an open dialog, by session. */
  readonly #dismissals = new Map<string, () => void>();
  /** Dialogs since the last navigation, by target. */
  readonly #dialogs = new Map<string, number>();

  constructor(options: PageWatchOptions) {
    this.#options = options;
  }

  /** Follows the page of a target that has just appeared. */
  async follow(targetId: string): Promise<void> {
    const attached = Promise.withResolvers<string | undefined>();
    this.#sessions.set(targetId, attached.promise);
    await this.#follow(targetId, attached.resolve);
    attached.resolve(undefined);
  }

  /** The session with a target, as soon as there is one; `undefined` if the target has gone. */
  async sessionOf(targetId: string): Promise<string | undefined> {
    return await this.#sessions.get(targetId);
  }

  async #follow(
    targetId: string,
    onAttached: (sessionId: string) => void,
  ): Promise<void> {
    const { protocol } = this.#options;
    try {
      const { sessionId } = await protocol.send<{ sessionId: string }>(
        "Target.attachToTarget",
        { targetId, flatten: true },
      );
      this.#targets.set(sessionId, targetId);
      onAttached(sessionId);
      await protocol.send("Page.enable", {}, sessionId);
      const { frameTree } = await protocol.send<{
        frameTree: { frame: Frame };
      }>("Page.getFrameTree", {}, sessionId);
      // What it shows may have changed before it was followed.
      this.#navigated(targetId, frameTree.frame);
    } catch {
      // The tab or the browser has gone in the meantime.
    }
  }

  /** Takes an event of the browser. */
  take({ method, params, sessionId }: ProtocolEvent): void {
    if (method === "Target.detachedFromTarget")
      this.#forget((params as { sessionId: string }).sessionId);
    const targetId = sessionId && this.#targets.get(sessionId);
    if (!sessionId || !targetId) return;
    if (method === "Page.javascriptDialogOpening")
      this.#dismiss(sessionId, targetId, (params as { type: string }).type);
    if (method === "Page.javascriptDialogClosed")
      this.#dismissals.get(sessionId)?.();
    if (method === "Page.frameNavigated") {
      const { frame } = params as { frame: Frame };
      if (frame.parentId === undefined) this.#navigated(targetId, frame);
    }
  }

  #forget(sessionId: string): void {
    const targetId = this.#targets.get(sessionId);
    this.#targets.delete(sessionId);
    this.#dismissals.get(sessionId)?.();
    this.#dismissals.delete(sessionId);
    if (targetId === undefined) return;
    this.#dialogs.delete(targetId);
    this.#sessions.delete(targetId);
  }

  #navigated(targetId: string, { unreachableUrl }: Frame): void {
    this.#dialogs.delete(targetId);
    this.#options.onProblem(
      targetId,
      unreachableUrl === undefined
        ? null
        : this.#options.describeUnreachable(unreachableUrl),
    );
  }

  /** A page with an open dialog answers nothing, and a viewer sees and answers it. */
  #dismiss(sessionId: string, targetId: string, type: string): void {
    const { protocol, clock, onProblem, users } = this.#options;
    if (users?.hasViewer(targetId)) return;
    const hasAgent = users?.hasAgent(targetId) ?? false;
    const count = (this.#dialogs.get(targetId) ?? 0) + (hasAgent ? 0 : 1);
    this.#dialogs.set(targetId, count);
    if (count === MAX_DIALOGS) onProblem(targetId, DIALOG_PROBLEM);
    const ms = hasAgent ? AGENT_DIALOG_MS : DIALOG_MS;
    const cancel = clock.after(ms, () => {
      // Asked whether it may be left, a page is left.
      const accept = type === "beforeunload";
      protocol
        .send("Page.handleJavaScriptDialog", { accept }, sessionId)
        // The page has closed it, or is gone.
        .catch(() => {});
    });
    this.#dismissals.set(sessionId, cancel);
  }
}
