export { default as UFileUpload } from "@nuxt/ui/components/FileUpload.vue";
export { default as UInputMenu } from "@nuxt/ui/components/InputMenu.vue";
export { default as UInputTags } from "@nuxt/ui/components/InputTags.vue";
export { default as UPinInput } from "@nuxt/ui/components/PinInput.vue";
export { default as USelectMenu } from "@nuxt/ui/components/SelectMenu.vue";
