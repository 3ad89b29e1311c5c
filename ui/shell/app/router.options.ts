import type { RouterConfig } from "nuxt/schema";
import { useNuxtApp } from "#imports";
import NoPage from "./pages/[...path].vue";

export default {
  // The pages of plugins are asked for before the router is made, so that a link deep into one of them opens it.
  routes: async (pages) => [
    ...pages.map((page) =>
      // Shown also when the daemon has just gone, and could not be asked for it any more.
      page.path.includes(":path(") ? { ...page, component: NoPage } : page,
    ),
    ...(await useNuxtApp().$shell.start()),
  ],
  // Pages scroll inside their frame, which remembers where it was.
  scrollBehavior: () => false,
} satisfies RouterConfig;
