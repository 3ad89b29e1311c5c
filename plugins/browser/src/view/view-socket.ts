import type { SocketDefinition, SocketPeer } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { BrowserPool } from "../chromium/browser-pool.ts";
import type { BrowserTabs } from "./browser-tabs.ts";
import { handleMessage } from "./handle-message.ts";
import type { LiveTab } from "./live-tab.ts";
import type { Uploads } from "./uploads.ts";
import { viewerMessage } from "./view-messages.ts";
import { Viewer } from "./viewers.ts";

/** A viewer that does not read its messages is disconnected once this much is buffered. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
const TOO_SLOW = 1013;
const INVALID = 1008;
const NORMAL = 1000;

/** Dependencies of {@link createViewSocket}. */
export interface ViewSocketOptions {
  pool: Pick<BrowserPool, "hold">;
  uploads: Uploads;
  /** The tabs of the browser that has this tab. */
  find(tabId: string): BrowserTabs | undefined;
}

interface OpenView {
  viewer: Viewer;
  live: LiveTab;
  tabs: BrowserTabs;
  release(): void;
}

/** Shows a tab live and receives the user's input: JSON as text messages, pictures as binary ones. */
export function createViewSocket(options: ViewSocketOptions): SocketDefinition {
  const views = new Map<SocketPeer, OpenView>();

  function send(peer: SocketPeer, data: string | Uint8Array): void {
    if (!views.has(peer)) return;
    if (peer.bufferedBytes > MAX_BUFFERED_BYTES) {
      end(peer);
      return peer.close(TOO_SLOW, "The viewer is too slow");
    }
    peer.send(data);
  }

  function end(peer: SocketPeer): void {
    const view = views.get(peer);
    if (!view) return;
    views.delete(peer);
    view.live.removeViewer(view.viewer);
    view.release();
  }

  async function giveFiles(
    { tabs, live }: OpenView,
    ids: readonly string[],
  ): Promise<void> {
    const files: string[] = [];
    for (const id of ids) {
      const upload = options.uploads.get(id);
      if (upload)
        files.push(await tabs.browser.copyToBrowser(upload.path, upload.name));
      await options.uploads.remove(id);
    }
    await live.chooser.choose(files);
  }

  return {
    path: "/api/browser/tabs/{id}/view",
    summary: "Look at a tab and use it",
    access: "session",
    admit({ params: { id = "" } }) {
      if (!options.find(id))
        throw errors.BROWSER_TAB_NOT_FOUND({ id: id.slice(0, 64) });
    },
    open(peer) {
      const { id = "" } = peer.params;
      const tabs = options.find(id);
      const live = tabs?.live(id);
      if (!tabs || !live) return peer.close(NORMAL, "The tab is gone");
      const viewer = new Viewer({
        send(message) {
          send(peer, JSON.stringify(message));
          if (message.type !== "gone") return;
          end(peer);
          peer.close(NORMAL, "The tab is gone");
        },
        sendBytes: (bytes) => send(peer, bytes),
      });
      views.set(peer, {
        viewer,
        live,
        tabs,
        release: options.pool.hold(tabs.browser),
      });
      live.attempt(live.addViewer(viewer));
    },
    message(peer, data) {
      const view = views.get(peer);
      if (!view) return;
      const message = viewerMessage.safeParse(parse(data));
      if (!message.success) {
        end(peer);
        return peer.close(INVALID, "Not a message of this view");
      }
      handleMessage(view.live, view.viewer, message.data, (uploads) =>
        giveFiles(view, uploads),
      );
    },
    close: (peer) => end(peer),
  };
}

function parse(data: string | Uint8Array): unknown {
  if (typeof data !== "string") return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
