import { addIcons } from "@gantry/ui-kit";
import { defineNuxtPlugin } from "#imports";
import icons from "#build/bundled-icons.mjs";

/** Makes the icons known that the shell, the kit and Nuxt UI use. */
export default defineNuxtPlugin({
  name: "gantry:bundled-icons",
  setup: () => addIcons(icons),
});
