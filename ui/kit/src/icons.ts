import { addCollection } from "@iconify/vue/offline";

/** Icons of one collection, in the form that `@iconify-json/*` packages have. */
export interface IconCollection {
  /** One word. */
  prefix: string;
  icons: Record<string, { body: string; width?: number; height?: number }>;
  width?: number;
  height?: number;
}

/**
 * Makes icons known, so that `i-<prefix>-<name>` shows them. A plugin's build calls it with the `i-lucide-…` icons that
 * it found in the plugin's sources; call it yourself only for icons of your own.
 *
 * @example addIcons({ prefix: "notes", icons: { pin: { body: '<path d="…"/>' } }, width: 24, height: 24 }); // i-notes-pin
 */
export function addIcons(collection: IconCollection): void {
  addCollection(collection);
}
