import type { RouterConfig } from "nuxt/schema";
import { useNuxtApp } from "#imports";

export default {
  // The pages of plugins are asked for before the router is made, so that a link deep into one of them opens it.
  routes: async (pages) => [...pages, ...(await useNuxtApp().$shell.start())],
  // Pages scroll inside their frame, which remembers where it was.
  scrollBehavior: () => false,
} satisfies RouterConfig;
