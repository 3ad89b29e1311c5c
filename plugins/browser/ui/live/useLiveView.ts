import { copyText } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted, shallowReactive } from "vue";
import type { AnnotationDraft, PageDialog, Tab } from "../wire.ts";
import { createFramePainter } from "./framePainter.ts";
import {
  connectView,
  type ConnectionState,
  type ViewConnection,
} from "./viewConnection.ts";
import type {
  Driver,
  PermissionRequest,
  PickedElement,
  ViewerMessage,
  ViewMessage,
} from "./viewMessages.ts";
import type { Size } from "./viewport.ts";

/** State of a tab while it is shown. */
export interface ViewState {
  connection: ConnectionState;
  /** Whether a picture has been drawn. */
  hasPicture: boolean;
  /** Size of the page in CSS pixels. */
  page: Size;
  tab: Tab | undefined;
  dialog: PageDialog | undefined;
  chooser: { multiple: boolean } | undefined;
  /** Permission requests of the page, oldest first. */
  permissions: readonly PermissionRequest[];
  found: number | undefined;
  driver: Driver;
  picked: PickedElement | undefined;
  /** Why the tab was closed. */
  gone: string | undefined;
}

/** A tab that is shown live. */
export interface LiveView {
  readonly state: Readonly<ViewState>;
  send(message: ViewerMessage): void;
  answerDialog(accept: boolean, text?: string): void;
  answerPermission(answer: "allow" | "deny"): void;
  choose(uploads: string[]): void;
}

export interface LiveViewOptions {
  tabId: string;
  canvas(): HTMLCanvasElement | null | undefined;
  copied?(text: string): void;
  annotated?(draft: AnnotationDraft): void;
}

const DEFAULT_PAGE = { width: 1280, height: 800 };

/** Shows a tab on a canvas until the component is unmounted. */
export function useLiveView(options: LiveViewOptions): LiveView {
  const state = shallowReactive<ViewState>({
    connection: "connecting",
    hasPicture: false,
    page: DEFAULT_PAGE,
    tab: undefined,
    dialog: undefined,
    chooser: undefined,
    permissions: [],
    found: undefined,
    driver: { who: null, agentId: null },
    picked: undefined,
    gone: undefined,
  });
  let connection: ViewConnection | undefined;
  const send = (message: ViewerMessage) => connection?.send(message);

  const painter = createFramePainter({
    decode: (bytes) => createImageBitmap(bytes),
    draw(picture, { width, height }) {
      const canvas = options.canvas();
      if (!canvas) return;
      // Setting a size clears the canvas, even if it is unchanged.
      if (canvas.width !== picture.width) canvas.width = picture.width;
      if (canvas.height !== picture.height) canvas.height = picture.height;
      canvas
        .getContext("2d", { alpha: false })
        ?.drawImage(picture as ImageBitmap, 0, 0);
      const { page } = state;
      if (page.width !== width || page.height !== height)
        state.page = { width, height };
      state.hasPicture = true;
    },
    shown: ({ frame }) => send({ type: "shown", frame }),
  });

  function receive(message: ViewMessage): void {
    switch (message.type) {
      case "tab":
        state.tab = message.tab;
        break;
      case "frame":
        painter.announce(message);
        break;
      case "dialog":
        state.dialog = toDialog(message);
        break;
      case "chooser":
        state.chooser = { multiple: message.multiple };
        break;
      case "permission":
        state.permissions = [...state.permissions, message];
        break;
      case "find":
        state.found = message.count;
        break;
      case "driver":
        state.driver = message;
        break;
      case "picked":
        state.picked = message.box ? message : undefined;
        break;
      case "copied":
        if (message.text !== "")
          void copyText(message.text).then(() =>
            options.copied?.(message.text),
          );
        break;
      case "annotation":
        options.annotated?.(message.draft);
        break;
      case "gone":
        state.gone = message.reason;
        break;
    }
  }

  onMounted(() => {
    connection = connectView(options.tabId, {
      message: receive,
      picture: painter.picture,
      state(next) {
        state.connection = next;
        // The daemon sends an open dialog again; other requests may have ended.
        if (next === "lost")
          Object.assign(state, {
            dialog: undefined,
            chooser: undefined,
            permissions: [],
          });
      },
    });
  });
  onBeforeUnmount(() => {
    connection?.close();
    painter.close();
  });

  return {
    state,
    send,
    answerDialog(accept, text) {
      state.dialog = undefined;
      send({ type: "dialog", accept, ...(text !== undefined && { text }) });
    },
    answerPermission(answer) {
      const [first, ...others] = state.permissions;
      state.permissions = others;
      if (first) send({ type: "permission", id: first.id, answer });
    },
    choose(uploads) {
      state.chooser = undefined;
      send({ type: "files", uploads });
    },
  };
}

function toDialog(
  message: Extract<ViewMessage, { type: "dialog" }>,
): PageDialog | undefined {
  if (message.kind === null) return undefined;
  const { kind, message: words, defaultText } = message;
  return { kind, message: words, defaultText };
}
