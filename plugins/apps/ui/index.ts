import { definePluginUi } from "@gantry/ui-kit";
import { createLazySearch } from "./palette/createLazySearch.ts";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Apps",
      component: () => import("./pages/AppsPage.vue"),
    },
    {
      path: "/:id",
      name: "app",
      title: "App",
      component: () => import("./pages/AppPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Apps",
      icon: "i-lucide-layout-grid",
      to: "/apps",
      order: 70,
      shortcut: "g p",
    },
  ],
  search: createLazySearch(),
});
