import { useTheme } from "@gantry/ui-kit";
import {
  onBeforeUnmount,
  onMounted,
  ref,
  shallowRef,
  watch,
  type Ref,
  type ShallowRef,
} from "vue";
import type { Heard } from "../wire.ts";
import { takeClipboardKeys } from "./clipboardKeys.ts";
import {
  connect,
  type Connection,
  type ConnectionState,
} from "./connection.ts";
import { createScreen, type Screen } from "./createScreen.ts";
import { readTheme } from "./theme.ts";

/** How a terminal is shown. */
export interface TerminalOptions {
  id: string;
  element: Readonly<ShallowRef<HTMLElement | null>>;
  screenReader: Ref<boolean>;
  /** Gives the focus away, for those who work with the keyboard. */
  leave(): void;
}

/** A terminal that is shown and can be typed into. */
export interface ShownTerminal {
  readonly state: Readonly<Ref<ConnectionState>>;
  readonly isOwner: Readonly<Ref<boolean>>;
  readonly viewers: Readonly<Ref<number>>;
  readonly exit: Readonly<
    ShallowRef<{ exitCode: number | null; signal: string | null } | undefined>
  >;
  readonly screen: Readonly<ShallowRef<Screen | undefined>>;
  /** Makes this the one who types. */
  takeOver(): void;
  /** Types, as a key does that a phone does not have. */
  press(text: string): void;
  focus(): void;
}

const PHONE = "(max-width: 40rem)";

/** Shows a terminal in an element, as long as the component lives. */
export function useTerminal(options: TerminalOptions): ShownTerminal {
  const { resolved } = useTheme();
  const state = ref<ConnectionState>("connecting");
  const isOwner = ref(false);
  const viewers = ref(1);
  const exit = shallowRef<ShownTerminal["exit"]["value"]>();
  const screen = shallowRef<Screen>();
  let connection: Connection | undefined;
  let observer: ResizeObserver | undefined;
  let isClaiming = false;

  function fit(): void {
    const size = screen.value?.fit.proposeDimensions();
    if (!size || !isOwner.value || exit.value) return;
    const cols = Math.min(1000, Math.max(2, size.cols));
    const rows = Math.min(1000, Math.max(1, size.rows));
    connection?.say({ type: "resize", cols, rows });
  }

  function hear(message: Heard): void {
    const { terminal } = screen.value ?? {};
    if (!terminal) return;
    switch (message.type) {
      case "screen":
        // What comes next belongs to a fresh terminal, whatever the old one was in the middle of.
        terminal.reset();
        terminal.resize(message.cols, message.rows);
        break;
      case "resize":
        terminal.resize(message.cols, message.rows);
        break;
      case "owner":
        // Said before the claim was heard; what is typed meanwhile comes after it.
        if (isClaiming && !message.you) return;
        isClaiming = false;
        isOwner.value = message.you;
        viewers.value = message.viewers;
        terminal.options.disableStdin = !message.you;
        fit();
        break;
      case "exit":
        exit.value = message;
        terminal.options.disableStdin = true;
        break;
    }
  }

  onMounted(async () => {
    const element = options.element.value;
    if (!element) return;
    const fontFamily = getComputedStyle(element).fontFamily;
    // Cells are as wide as the font says, so it has to be there first.
    await document.fonts?.load(`13px ${fontFamily}`).catch(() => {});
    if (!element.isConnected) return;
    const made = createScreen(element, {
      theme: readTheme(element, resolved.value),
      fontFamily,
      fontSize: window.matchMedia(PHONE).matches ? 12 : 13,
      screenReader: options.screenReader.value,
    });
    screen.value = made;
    const { terminal } = made;
    const current = connect(options.id, {
      hears: hear,
      // A screen that was asked to reset in the middle of a write still counts what it drew.
      output: (bytes) =>
        terminal.write(bytes, () => current.drawn(bytes.length)),
      state(next) {
        // The viewer that typed here keeps the input, though the daemon may not know yet that the old connection is gone.
        isClaiming = next === "open" && isOwner.value;
        if (isClaiming) current.say({ type: "owner" });
        state.value = next;
      },
    });
    connection = current;
    terminal.onData((data) => current.type(data));
    terminal.onBinary((data) =>
      current.bytes(Uint8Array.from(data, (char) => char.charCodeAt(0))),
    );
    takeClipboardKeys(terminal, options.leave);
    observer = new ResizeObserver(() => fit());
    observer.observe(element);
    terminal.focus();
  });

  watch(resolved, (mode) => {
    const element = options.element.value;
    // The page's colours change with the class of the document, which is a moment later.
    if (screen.value && element)
      requestAnimationFrame(() => {
        if (screen.value)
          screen.value.terminal.options.theme = readTheme(element, mode);
      });
  });
  watch(options.screenReader, (on) => {
    if (screen.value) screen.value.terminal.options.screenReaderMode = on;
  });
  onBeforeUnmount(() => {
    observer?.disconnect();
    connection?.close();
    screen.value?.dispose();
    screen.value = undefined;
  });

  return {
    state,
    isOwner,
    viewers,
    exit,
    screen,
    takeOver: () => {
      connection?.say({ type: "owner" });
      screen.value?.terminal.focus();
    },
    press(text) {
      screen.value?.terminal.input(text, true);
      screen.value?.terminal.focus();
    },
    focus: () => screen.value?.terminal.focus(),
  };
}
