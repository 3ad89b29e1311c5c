export { default as UCommandPalette } from "@nuxt/ui/components/CommandPalette.vue";
