import { copyText } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted, shallowReactive } from "vue";
import { connectView } from "./connectView.ts";
import type { ConnectionState, ViewConnection } from "./connectView.ts";
import { createFramePainter } from "./createFramePainter.ts";
import type {
  Driver,
  FileRequest,
  PageDialog,
  ViewedPage,
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
  size: Size;
  page: ViewedPage | undefined;
  dialog: PageDialog | undefined;
  fileRequest: FileRequest | undefined;
  /** Number of matches of the last search. */
  found: number | undefined;
  driver: Driver;
}

/** A tab that is shown live. */
export interface LiveView {
  readonly state: Readonly<ViewState>;
  send(message: ViewerMessage): void;
  answerDialog(accept: boolean, text?: string): void;
}

/** Options of {@link useLiveView}. */
export interface LiveViewOptions {
  tabId: string;
  canvas(): HTMLCanvasElement | null | undefined;
  /** Called when the selection of the page was copied. */
  copied?(): void;
  /** Called with the answers about elements that are pointed at. */
  pointed?(message: Extract<ViewMessage, { type: "pointed" | "picked" }>): void;
}

/** Shows a tab on a canvas until the component is unmounted. */
export function useLiveView(options: LiveViewOptions): LiveView {
  const state = shallowReactive<ViewState>({
    connection: "connecting",
    hasPicture: false,
    size: { width: 1280, height: 800 },
    page: undefined,
    dialog: undefined,
    fileRequest: undefined,
    found: undefined,
    driver: { who: null, agentId: null },
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
      const { size } = state;
      if (size.width !== width || size.height !== height)
        state.size = { width, height };
      state.hasPicture = true;
    },
    shown: ({ frame }) => send({ type: "shown", frame }),
  });

  function receive(message: ViewMessage): void {
    switch (message.type) {
      case "frame":
        return painter.announce(message);
      case "page":
        state.page = message.page;
        return;
      case "dialog":
        state.dialog = message.dialog ?? undefined;
        return;
      case "files":
        state.fileRequest = message.request ?? undefined;
        return;
      case "find":
        state.found = message.count;
        return;
      case "driver":
        state.driver = message;
        return;
      case "pointed":
      case "picked":
        return options.pointed?.(message);
      case "copied":
        if (message.text !== "")
          void copyText(message.text).then(() => options.copied?.());
        return;
      case "gone":
        return;
    }
  }

  onMounted(() => {
    connection = connectView(options.tabId, {
      message: receive,
      picture: painter.picture,
      state(next) {
        state.connection = next;
        // The daemon sends again what still waits for an answer.
        if (next !== "open")
          Object.assign(state, { dialog: undefined, fileRequest: undefined });
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
  };
}
