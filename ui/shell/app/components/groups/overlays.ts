export { default as UContextMenu } from "@nuxt/ui/components/ContextMenu.vue";
export { default as UDrawer } from "@nuxt/ui/components/Drawer.vue";
export { default as UDropdownMenu } from "@nuxt/ui/components/DropdownMenu.vue";
export { default as UModal } from "@nuxt/ui/components/Modal.vue";
export { default as UPopover } from "@nuxt/ui/components/Popover.vue";
export { default as USlideover } from "@nuxt/ui/components/Slideover.vue";
export { default as UTooltip } from "@nuxt/ui/components/Tooltip.vue";
