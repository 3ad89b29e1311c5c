import { defineNuxtModule } from "nuxt/kit";
import { colorModeKey } from "../app/shell/colorMode.ts";

// Runs before anything is painted, so that a page in the dark does not begin with a flash of light.
const script = `{let p;try{p=JSON.parse(localStorage.getItem("${colorModeKey}"))}catch{}
document.documentElement.className=p==="light"||p==="dark"?p:matchMedia("(prefers-color-scheme:light)").matches?"light":"dark"}`;

/** Puts the colours that the user chose on the page before it is painted. */
export default defineNuxtModule({
  meta: { name: "color-scheme" },
  setup(_options, nuxt) {
    nuxt.options.app.head.script ??= [];
    nuxt.options.app.head.script.push({
      key: "color-scheme",
      tagPriority: -40,
      innerHTML: script.replaceAll("\n", ""),
    });
  },
});
