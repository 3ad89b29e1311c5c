import type { RouterConfig } from "nuxt/schema";
import type { RouteRecordRaw } from "vue-router";
import { useNuxtApp } from "#imports";
import NoPage from "./pages/[...path].vue";

export default {
  // The pages of plugins are asked for before the router is made, so that a link deep into one of them opens it.
  routes: async (pages) => [
    ...pages.map(withNoPage),
    ...(await useNuxtApp().$shell.start()),
  ],
  // Pages scroll inside their frame, which remembers where it was.
  scrollBehavior: () => false,
} satisfies RouterConfig;

/** With the page for paths without one at hand: it is shown when the daemon has just gone, and could not be asked. */
function withNoPage(page: RouteRecordRaw): RouteRecordRaw {
  const isForRest = page.path.includes(":path(");
  return isForRest ? ({ ...page, component: NoPage } as RouteRecordRaw) : page;
}
