import { defineNuxtModule } from "nuxt/kit";

/** Plugins of the app that it has another way for, or no use. */
const unused = [
  // The colours are in assets/colors.css, where they are there before the first script has run.
  "@nuxt/ui/dist/runtime/plugins/colors",
  // Icons come with the bundle: see modules/bundledIcons.ts.
  "@nuxt/icon/dist/runtime/plugin",
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
      if (process.env.ANALYZE)
        console.log(
          app.plugins.map((p) => p.src.replace(/.*node_modules\//, "")),
        );
    });
    nuxt.hook("components:extend", (components) => {
      // Nuxt UI's components are resolved by name, as plugins do it: see app/plugins/promisedComponents.ts.
      const others = components.filter(
        (component) => !component.filePath.includes("@nuxt/ui/dist/"),
      );
      components.splice(0, components.length, ...others);
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
