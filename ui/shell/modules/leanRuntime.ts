import { defineNuxtModule } from "nuxt/kit";

/** Plugins of the app that it has another way for, or no use. */
const unused = [
  // The colours are in assets/colors.css, where they are there before the first script has run.
  "@nuxt/ui/dist/runtime/plugins/colors",
  // Icons come with the bundle: see modules/bundledIcons.ts.
  "@nuxt/icon/dist/runtime/plugin",
  // What is in the head of the page is there from the start, but for its title: see app/plugins/documentTitle.ts.
  "head/runtime/plugins/unhead",
  // Pages are fetched when they are opened, from the same machine.
  "runtime/plugins/prefetch.client",
  "plugins/island-link-navigation",
  // Nothing was rendered on a server.
  "plugins/revive-payload",
  "plugins/payload.client",
];

/** Leaves parts out of the bundle that this app does not need. */
export default defineNuxtModule({
  meta: { name: "lean-runtime" },
  setup(_options, nuxt) {
    nuxt.hook("app:resolve", (app) => {
      app.plugins = app.plugins.filter(
        ({ src }) => !unused.some((part) => src.includes(part)),
      );
    });
    // After the modules, so that this comes after their own hooks.
    nuxt.hook("modules:done", () => {
      nuxt.hook("components:extend", (components) => {
        // Nuxt UI's components are resolved by name, as plugins do it: see app/plugins/promisedComponents.ts.
        const others = components.filter(
          ({ filePath }) => !/@nuxt\/(ui|icon)\//.test(filePath),
        );
        components.splice(0, components.length, ...others);
      });
    });
    nuxt.hook("build:manifest", (manifest) => {
      for (const entry of Object.values(manifest)) {
        if (entry.isEntry) continue;
        // Pages and overlays are fetched when they are shown.
        entry.preload = false;
        entry.prefetch = false;
        entry.dynamicImports = [];
      }
    });
  },
});
