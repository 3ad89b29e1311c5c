import { defineNuxtPlugin } from "#imports";
import shared from "#build/shared-modules.mjs";

declare global {
  var __gantryShared: object;
}

/** Puts the modules that plugins share with the shell where `/shared/*.mjs` find them. */
export default defineNuxtPlugin({
  name: "gantry:share-modules",
  enforce: "pre",
  order: -50,
  setup() {
    globalThis.__gantryShared = shared;
  },
});
