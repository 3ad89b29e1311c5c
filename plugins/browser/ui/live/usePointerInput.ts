import { onBeforeUnmount, onMounted, type Ref, type ShallowRef } from "vue";
import { createPacer } from "./createPacer.ts";
import {
  createClickCounter,
  toModifiers,
  toPagePoint,
  toWheelPixels,
} from "./pointerMessages.ts";
import type { MouseMessage, Point, ViewerMessage } from "./viewMessages.ts";
import type { Size } from "./viewport.ts";

/** Options of {@link usePointerInput}. */
export interface PointerInputOptions {
  picture: Readonly<ShallowRef<HTMLElement | null>>;
  page: Readonly<Ref<Size>>;
  /** Whether the page is shown as on a touch screen. */
  isTouch: () => boolean;
  send(message: ViewerMessage): void;
  /** Called with each press and its position on the screen. */
  pressed(event: PointerEvent): void;
}

/** Sends mouse, pen and touch input on a picture to its page. */
export function usePointerInput(options: PointerInputOptions): void {
  const countClicks = createClickCounter();
  const fingers = new Map<number, Point & { id: number }>();
  let clicks = 0;

  const at = (event: PointerEvent | WheelEvent): Point =>
    toPagePoint(
      event,
      options.picture.value!.getBoundingClientRect(),
      options.page.value,
    );
  const pacer = createPacer(options.send);

  const toMouse = (
    kind: MouseMessage["kind"],
    event: PointerEvent | WheelEvent,
    wheel = { deltaX: 0, deltaY: 0 },
  ): MouseMessage => ({
    type: "mouse",
    kind,
    ...at(event),
    ...wheel,
    button: Math.max(0, event.button),
    buttons: event.buttons,
    clicks: kind === "down" || kind === "up" ? clicks : 0,
    modifiers: toModifiers(event),
  });
  const points = () => [...fingers.values()];
  const isFinger = (event: PointerEvent) =>
    event.pointerType === "touch" || options.isTouch();

  function onDown(event: PointerEvent): void {
    event.preventDefault();
    options.picture.value?.setPointerCapture(event.pointerId);
    options.pressed(event);
    if (isFinger(event)) {
      fingers.set(event.pointerId, { ...at(event), id: event.pointerId });
      pacer.now({ type: "touch", kind: "start", points: points() });
      return;
    }
    clicks = countClicks(event);
    pacer.now(toMouse("down", event));
  }
  function onMove(event: PointerEvent): void {
    if (!isFinger(event)) return pacer.soon(toMouse("move", event));
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { ...at(event), id: event.pointerId });
    pacer.soon({ type: "touch", kind: "move", points: points() });
  }
  function onUp(event: PointerEvent): void {
    if (fingers.delete(event.pointerId)) {
      // A finger that is lifted while others stay is sent as a move without it.
      const kind = event.type === "pointercancel" ? "cancel" : "end";
      pacer.now(
        fingers.size > 0 && kind === "end"
          ? { type: "touch", kind: "move", points: points() }
          : { type: "touch", kind, points: [] },
      );
      if (kind === "cancel") fingers.clear();
    } else if (!isFinger(event)) pacer.now(toMouse("up", event));
  }
  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    const wheel = toWheelPixels(event, options.page.value.height);
    pacer.soon(toMouse("wheel", event, wheel));
  }
  const prevent = (event: Event) => event.preventDefault();

  const ending = new AbortController();
  onMounted(() => {
    const picture = options.picture.value;
    if (!picture) return;
    const { signal } = ending;
    picture.addEventListener("pointerdown", onDown, { signal });
    picture.addEventListener("pointermove", onMove, { signal });
    picture.addEventListener("pointerup", onUp, { signal });
    picture.addEventListener("pointercancel", onUp, { signal });
    picture.addEventListener("wheel", onWheel, { signal, passive: false });
    picture.addEventListener("contextmenu", prevent, { signal });
  });
  onBeforeUnmount(() => {
    pacer.close();
    ending.abort();
  });
}
