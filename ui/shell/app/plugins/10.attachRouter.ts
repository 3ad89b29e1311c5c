import { defineNuxtPlugin, useRouter } from "#imports";
import { nextTick } from "vue";

/** Gives the shell the router, and tells Nuxt of each page that is shown. */
export default defineNuxtPlugin({
  name: "gantry:attach-router",
  dependsOn: ["gantry:shell", "nuxt:router"],
  setup(nuxtApp) {
    const router = useRouter();
    nuxtApp.$shell.attach(router);
    // Links know which of them is active from this; Nuxt's own page component would do it.
    router.afterEach(
      () => void nextTick(() => nuxtApp.callHook("page:finish")),
    );
  },
});
