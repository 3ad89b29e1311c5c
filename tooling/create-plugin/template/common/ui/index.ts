import { definePluginUi } from "@gantry/ui-kit";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "My plugin",
      component: () => import("./pages/MyThingsPage.vue"),
    },
  ],
  navigation: [
    { label: "My plugin", icon: "i-lucide-shapes", to: "/my-plugin" },
  ],
});
