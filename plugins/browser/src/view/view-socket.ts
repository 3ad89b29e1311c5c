import type { SocketDefinition, SocketPeer } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { Tabs } from "../tabs/open-tabs.ts";
import { handleMessage } from "./handle-message.ts";
import type { Views } from "./open-views.ts";
import { viewerMessage } from "./view-messages.ts";
import { Viewer } from "./viewers.ts";

/** A viewer that does not read is disconnected once this much waits for it. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;
/** Largest message: pasted text, each character of which JSON may write in six bytes. */
const MAX_MESSAGE_BYTES = 512 * 1024;
const NORMAL = 1000;
const INVALID = 1008;
const TOO_SLOW = 1013;

interface OpenView {
  viewer: Viewer;
  tabId: string;
  leave(): void;
}

/** Shows a tab live and takes the person's input: JSON as text messages, pictures as binary ones. */
export function createViewSocket(
  tabs: Pick<Tabs, "find">,
  views: Views,
): SocketDefinition {
  const open = new Map<SocketPeer, OpenView>();

  function end(peer: SocketPeer, code?: number, reason?: string): void {
    const view = open.get(peer);
    if (!view) return;
    open.delete(peer);
    view.leave();
    if (code !== undefined) peer.close(code, reason);
  }

  function send(peer: SocketPeer, data: string | Uint8Array): void {
    if (peer.bufferedBytes > MAX_BUFFERED_BYTES)
      return end(peer, TOO_SLOW, "The viewer is too slow");
    peer.send(data);
  }

  return {
    path: "/api/browser/tabs/{id}/view",
    summary: "Look at a tab and use it",
    access: "session",
    maxMessage: MAX_MESSAGE_BYTES,
    admit({ params: { id = "" } }) {
      if (!tabs.find(id))
        throw errors.BROWSER_TAB_NOT_FOUND({ id: id.slice(0, 64) });
    },
    open(peer) {
      const { id = "" } = peer.params;
      const viewer = new Viewer({
        send(message) {
          send(peer, JSON.stringify(message));
          if (message.type === "gone") end(peer, NORMAL, "The tab is gone");
        },
        sendBytes: (bytes) => send(peer, bytes),
      });
      const leave = views.join(id, viewer);
      if (!leave) return peer.close(NORMAL, "The tab is gone");
      open.set(peer, { viewer, tabId: id, leave });
    },
    message(peer, data) {
      const view = open.get(peer);
      if (!view) return;
      const { success, data: message } = viewerMessage.safeParse(parse(data));
      if (!success) return end(peer, INVALID, "Not a message of this view");
      if (message.type === "size") view.viewer.size = message;
      const live = views.get(view.tabId);
      if (live) handleMessage(live, view.viewer, message);
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
