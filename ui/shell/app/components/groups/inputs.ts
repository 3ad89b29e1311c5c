export { default as UCheckbox } from "@nuxt/ui/components/Checkbox.vue";
export { default as UCheckboxGroup } from "@nuxt/ui/components/CheckboxGroup.vue";
export { default as UForm } from "@nuxt/ui/components/Form.vue";
export { default as UInputNumber } from "@nuxt/ui/components/InputNumber.vue";
export { default as URadioGroup } from "@nuxt/ui/components/RadioGroup.vue";
export { default as USelect } from "@nuxt/ui/components/Select.vue";
export { default as USlider } from "@nuxt/ui/components/Slider.vue";
export { default as USwitch } from "@nuxt/ui/components/Switch.vue";
