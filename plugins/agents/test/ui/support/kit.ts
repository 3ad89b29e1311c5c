/* eslint-disable gantry/layers -- the parts of the kit that are no components: Node cannot load those, and stand-ins would prove nothing */
import { vi } from "vitest";
import { createRenderer, defineComponent, shallowRef } from "vue";
import {
  toMatcher,
  type EventHub,
  type GantryEvent,
} from "../../../../../ui/kit/src/events/eventHub.ts";
import type { ToastMessage } from "../../../../../ui/kit/src/composables/toastPort.ts";
import { createResourceCache } from "../../../../../ui/kit/src/data/resourceCache.ts";
import type { ConfirmRequest } from "../../../../../ui/kit/src/composables/confirmRequest.ts";
import {
  kitKey,
  type KitContext,
} from "../../../../../ui/kit/src/internal/context.ts";
import { createShortcutRegistry } from "../../../../../ui/kit/src/shortcuts/shortcutRegistry.ts";
import { createTicker } from "../../../../../ui/kit/src/time/ticker.ts";

export { api } from "../../../../../ui/kit/src/api/api.ts";
export {
  ApiError,
  toApiError,
} from "../../../../../ui/kit/src/api/apiError.ts";
export { useConfirm } from "../../../../../ui/kit/src/composables/useConfirm.ts";
export { useToast } from "../../../../../ui/kit/src/composables/useToast.ts";
export { useResource } from "../../../../../ui/kit/src/data/useResource.ts";
export { useEvents } from "../../../../../ui/kit/src/events/useEvents.ts";
export { useSettled } from "../../../../../ui/kit/src/time/useSettled.ts";

/** A page without a document, in which composables run as in a browser. */
export interface MountedPage<Result> extends Disposable {
  result: Result;
  toasts: ToastMessage[];
  /** The question that the page asks. */
  confirmation(): ConfirmRequest | undefined;
  /** Delivers an event of the daemon. */
  emit(type: string, subject: string, data?: object): void;
}

/** Runs a composable in the `setup` of a component that stays mounted until the page is disposed of. */
export function mountPage<Result>(setup: () => Result): MountedPage<Result> {
  const sight = { hidden: false, visibilityState: "visible" };
  vi.stubGlobal("document", Object.assign(new EventTarget(), sight));
  const toasts: ToastMessage[] = [];
  const listeners = new Set<(event: GantryEvent) => void>();
  const events: EventHub = {
    status: shallowRef({ state: "idle", error: undefined, stopping: false }),
    subscribe(types, handle) {
      const matches = toMatcher(types);
      const listener = (event: GantryEvent) => {
        if (matches(event.type)) handle(event);
      };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onStale: () => () => undefined,
    start: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    stop: () => undefined,
  };
  const context: KitContext = {
    events,
    cache: createResourceCache(60),
    shortcuts: createShortcutRegistry(fail),
    ticker: createTicker(),
    toasts: {
      show: (message) => `toast-${toasts.push(message)}`,
      hide: () => undefined,
    },
    colorMode: {
      preference: () => "system",
      resolved: () => "light",
      set: () => undefined,
    },
    slots: shallowRef(new Map()),
    confirmation: shallowRef(),
    scrollPositions: new Map(),
    setTitle: () => undefined,
    report: fail,
  };
  let result: { value: Result } | undefined;
  const app = createRenderer<object, object>(nothing).createApp(
    defineComponent(() => {
      result = { value: setup() };
      return () => null;
    }),
  );
  app.provide(kitKey, context);
  app.mount({});
  if (!result) throw new Error("The component was not mounted.");
  return {
    result: result.value,
    toasts,
    confirmation: () => context.confirmation.value,
    emit(type, subject, data = {}) {
      const at = "2026-03-02T10:00:00.000Z";
      const event = { id: 1, at, type, plugin: "agents", subject, data };
      for (const listener of [...listeners]) listener(event);
    },
    [Symbol.dispose]: () => app.unmount(),
  };
}

function fail(error: unknown): never {
  throw error;
}

/** A document in which nothing is shown. */
const nothing: Parameters<typeof createRenderer<object, object>>[0] = {
  patchProp: () => undefined,
  insert: () => undefined,
  remove: () => undefined,
  createElement: () => ({}),
  createText: () => ({}),
  createComment: () => ({}),
  setText: () => undefined,
  setElementText: () => undefined,
  parentNode: () => null,
  nextSibling: () => null,
};
