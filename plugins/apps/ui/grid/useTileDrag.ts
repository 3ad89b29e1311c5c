import { computed, nextTick, onScopeDispose, shallowRef, type Ref } from "vue";

/** How far a tile is moved before it is dragged, in px. */
const THRESHOLD = 5;
/** How near to the edge of the page it scrolls, and by how much each frame. */
const EDGE = 56;
const SCROLL_STEP = 9;

/** A tile that is being dragged. */
interface Drag {
  id: string;
  /** Where in the tile it was taken. */
  grip: { x: number; y: number };
  from: { x: number; y: number };
  at: { x: number; y: number };
  hasBegun: boolean;
}

/** Moves tiles with the mouse, a pen or a finger. */
export interface TileDrag {
  /** The tile that is in the air. */
  readonly id: Readonly<Ref<string | undefined>>;
  /** Where it is beside its place. */
  readonly offset: Readonly<Ref<{ x: number; y: number }>>;
  begin(id: string, event: PointerEvent): void;
}

/**
 * Lets the tiles in `list`, which have `data-tile`, be dragged. A tile that is dragged takes the place that it is held over
 * at once, so that what is seen is what will be saved.
 */
export function useTileDrag(options: {
  list: Readonly<Ref<HTMLElement | null>>;
  move(id: string, to: number): void;
  drop(): void;
}): TileDrag {
  const drag = shallowRef<Drag>();
  const offset = shallowRef({ x: 0, y: 0 });
  let frame = 0;
  let release: (() => void) | undefined;

  const tiles = () => [
    ...(options.list.value?.querySelectorAll<HTMLElement>("[data-tile]") ?? []),
  ];

  /** Where tiles lie, without what moves them for a moment. */
  function placeOf(tile: HTMLElement): DOMRect {
    const list = options.list.value!.getBoundingClientRect();
    return new DOMRect(
      list.x + tile.offsetLeft,
      list.y + tile.offsetTop,
      tile.offsetWidth,
      tile.offsetHeight,
    );
  }

  async function follow(): Promise<void> {
    const current = drag.value;
    if (!current?.hasBegun) return;
    const { x, y } = current.at;
    const over = tiles().findIndex((tile) => {
      const { left, right, top, bottom } = placeOf(tile);
      return x >= left && x < right && y >= top && y < bottom;
    });
    if (over >= 0) options.move(current.id, over);
    await nextTick();
    const own = tiles().find((tile) => tile.dataset["tile"] === current.id);
    if (!own || drag.value !== current) return;
    const place = placeOf(own);
    offset.value = {
      x: x - current.grip.x - place.x,
      y: y - current.grip.y - place.y,
    };
  }

  function scroll(): void {
    const current = drag.value;
    const page = options.list.value?.closest("[data-page-scroll]");
    if (!current || !page) return;
    const { top, bottom } = page.getBoundingClientRect();
    const before = page.scrollTop;
    if (current.hasBegun && current.at.y < top + EDGE)
      page.scrollTop -= SCROLL_STEP;
    if (current.hasBegun && current.at.y > bottom - EDGE)
      page.scrollTop += SCROLL_STEP;
    if (page.scrollTop !== before) void follow();
    frame = requestAnimationFrame(scroll);
  }

  function onMove(event: PointerEvent): void {
    const current = drag.value;
    if (!current) return;
    current.at = { x: event.clientX, y: event.clientY };
    const way = Math.hypot(
      current.at.x - current.from.x,
      current.at.y - current.from.y,
    );
    if (!current.hasBegun && way < THRESHOLD) return;
    if (!current.hasBegun) drag.value = { ...current, hasBegun: true };
    void follow();
  }

  function end(): void {
    const hadBegun = drag.value?.hasBegun === true;
    release?.();
    release = undefined;
    cancelAnimationFrame(frame);
    drag.value = undefined;
    offset.value = { x: 0, y: 0 };
    if (hadBegun) options.drop();
  }

  onScopeDispose(end);
  return {
    id: computed(() => (drag.value?.hasBegun ? drag.value.id : undefined)),
    offset,
    begin(id, event) {
      if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement))
        return;
      const { target } = event;
      if (target instanceof Element && target.closest("button")) return;
      end();
      const place = placeOf(event.currentTarget);
      const at = { x: event.clientX, y: event.clientY };
      drag.value = {
        id,
        grip: { x: at.x - place.x, y: at.y - place.y },
        from: at,
        at,
        hasBegun: false,
      };
      const listeners = new AbortController();
      const { signal } = listeners;
      window.addEventListener("pointermove", onMove, { signal });
      window.addEventListener("pointerup", end, { signal });
      window.addEventListener("pointercancel", end, { signal });
      release = () => listeners.abort();
      frame = requestAnimationFrame(scroll);
    },
  };
}
