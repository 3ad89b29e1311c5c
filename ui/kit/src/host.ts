import { shallowRef, type App, type ShallowRef } from "vue";
import type { ColorModePort } from "./composables/colorModePort.ts";
import type { ConfirmRequest } from "./composables/confirmRequest.ts";
import type { ToastPort } from "./composables/toastPort.ts";
import { createResourceCache } from "./data/resourceCache.ts";
import { createEventHub } from "./events/eventHub.ts";
import { kitKey, type KitContext } from "./internal/context.ts";
import type { SlotEntry } from "./plugin/slots.ts";
import { createShortcutRegistry } from "./shortcuts/shortcutRegistry.ts";
import { createTicker } from "./time/ticker.ts";

/** What the shell gives to the kit. */
export interface KitOptions {
  toasts: ToastPort;
  colorMode: ColorModePort;
  setTitle: (title: string) => void;
  report: (error: unknown, plugin: string | undefined) => void;
}

/** The kit of one app, with the parts that the shell drives. */
export interface Kit extends KitContext {
  readonly slots: ShallowRef<ReadonlyMap<string, readonly SlotEntry[]>>;
  /** Makes it the kit of an app: `app.use(kit)`. */
  install(app: App): void;
}

/** Makes the kit of an app. It opens no connection until `kit.events.start()`. For the shell and for tests. */
export function createKit(options: KitOptions): Kit {
  const fail = (error: unknown) => options.report(error, undefined);
  const context = {
    ...options,
    events: createEventHub({ path: "/api/events", fail }),
    cache: createResourceCache(60),
    shortcuts: createShortcutRegistry(fail),
    ticker: createTicker(),
    slots: shallowRef<ReadonlyMap<string, readonly SlotEntry[]>>(new Map()),
    confirmation: shallowRef<ConfirmRequest>(),
    scrollPositions: new Map<string, number>(),
  } satisfies KitContext;
  return { ...context, install: (app) => void app.provide(kitKey, context) };
}

export { sessionRefusedEvent } from "./api/api.ts";
export { createResourceCache } from "./data/resourceCache.ts";
export { createEventHub } from "./events/eventHub.ts";
export type { ConnectionStatus, EventHub } from "./events/eventHub.ts";
export { kitKey, useKit } from "./internal/context.ts";
export type { KitContext } from "./internal/context.ts";
export { kitExports } from "./kitExports.ts";
export { toneDot, tonePill, toneText } from "./internal/toneClasses.ts";
export type { SlotEntry } from "./plugin/slots.ts";
export { toComponent } from "./plugin/toComponent.ts";
export { setDaemonTimeZone } from "./time/readTimeZone.ts";
export type { RegisteredShortcut } from "./shortcuts/shortcutRegistry.ts";
