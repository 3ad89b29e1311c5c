import { defineNuxtPlugin } from "#imports";
import { computed, watchEffect } from "vue";

/** Keeps the title of the document: how much waits for a person, the page, the product. */
export default defineNuxtPlugin({
  name: "gantry:document-title",
  dependsOn: ["gantry:shell"],
  setup({ $shell: { plugins, title } }) {
    const waiting = computed(() =>
      plugins.navigation.value.reduce((sum, { badge }) => {
        return badge.value?.tone === "attention"
          ? sum + badge.value.count
          : sum;
      }, 0),
    );
    watchEffect(() => {
      const name = title.value ? `${title.value} · Gantry` : "Gantry";
      document.title = waiting.value > 0 ? `(${waiting.value}) ${name}` : name;
    });
  },
});
