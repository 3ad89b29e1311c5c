export { default as UTable } from "@nuxt/ui/components/Table.vue";
