import {
  hasInjectionContext,
  inject,
  type InjectionKey,
  type ShallowRef,
} from "vue";
import type { ColorModePort } from "../composables/colorModePort.ts";
import type { ConfirmRequest } from "../composables/confirmRequest.ts";
import type { ToastPort } from "../composables/toastPort.ts";
import type { ResourceCache } from "../data/resourceCache.ts";
import type { EventHub } from "../events/eventHub.ts";
import type { SlotEntry } from "../plugin/slots.ts";
import type { ShortcutRegistry } from "../shortcuts/shortcutRegistry.ts";
import type { Ticker } from "../time/ticker.ts";

/** What the shell gives the kit, and what everything in it shares. */
export interface KitContext {
  readonly events: EventHub;
  readonly cache: ResourceCache;
  readonly shortcuts: ShortcutRegistry;
  readonly ticker: Ticker;
  readonly toasts: ToastPort;
  readonly colorMode: ColorModePort;
  /** Contributions of the active plugins by place. */
  readonly slots: Readonly<
    ShallowRef<ReadonlyMap<string, readonly SlotEntry[]>>
  >;
  /** The question that is being asked, if one is. */
  readonly confirmation: ShallowRef<ConfirmRequest | undefined>;
  /** Where pages were scrolled to, by their place in the history. */
  readonly scrollPositions: Map<string, number>;
  /** Sets the title of the document; empty for the plain one. */
  readonly setTitle: (title: string) => void;
  /** Gets what a plugin's component threw, with the plugin's id where it is known. */
  readonly report: (error: unknown, plugin: string | undefined) => void;
}

export const kitKey: InjectionKey<KitContext> = Symbol("gantry-kit");

/** The kit of this app. Throws outside a `setup`, since the app is not known there. */
export function useKit(): KitContext {
  const kit = hasInjectionContext() ? inject(kitKey, undefined) : undefined;
  if (!kit) {
    throw new Error(
      "Call this inside `setup`, before its first `await`, of a component that Gantry's shell shows.",
    );
  }
  return kit;
}
