import { createKit } from "@gantry/ui-kit/host";
import { defineNuxtPlugin } from "#imports";
import { shallowRef } from "vue";
import { createColorMode } from "../shell/colorMode.ts";
import { createShell, shellKey } from "../shell/shell.ts";
import { createToastList } from "../shell/toastList.ts";

/** Makes the kit and the shell before the router, which asks the shell for the pages of plugins. */
export default defineNuxtPlugin({
  name: "gantry:shell",
  enforce: "pre",
  order: -40,
  setup(nuxtApp) {
    const toasts = createToastList();
    const title = shallowRef("");

    const kit = createKit({
      toasts,
      colorMode: createColorMode(),
      setTitle: (next) => {
        title.value = next;
      },
      report: (error, plugin) => {
        console.error(plugin ? `Plugin ${plugin}:` : "Gantry:", error);
      },
    });
    nuxtApp.vueApp.use(kit);

    const shell = createShell(nuxtApp.vueApp, kit, title);
    nuxtApp.vueApp.provide(shellKey, shell);

    return { provide: { shell, kit, toasts } };
  },
});
