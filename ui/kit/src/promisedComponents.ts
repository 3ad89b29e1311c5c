/**
 * Nuxt UI components that a plugin may use by name, without importing them. Those in `atOnce` are there with the page;
 * the others are fetched, a group at a time, when the first of the group is shown. Until then what they wrap (the button
 * that opens a menu) is shown alone, or a grey shape of their size.
 */
export const promisedComponents = {
  atOnce: [
    "UAlert",
    "UAvatar",
    "UBadge",
    "UButton",
    "UCard",
    "UFieldGroup",
    "UFormField",
    "UIcon",
    "UInput",
    "UKbd",
    "ULink",
    "USeparator",
    "USkeleton",
    "UTextarea",
  ],
  overlays: [
    "UContextMenu",
    "UDrawer",
    "UDropdownMenu",
    "UModal",
    "UPopover",
    "USlideover",
    "UTooltip",
  ],
  inputs: [
    "UCheckbox",
    "UCheckboxGroup",
    "UForm",
    "UInputNumber",
    "URadioGroup",
    "USelect",
    "USlider",
    "USwitch",
  ],
  pickers: [
    "UFileUpload",
    "UInputMenu",
    "UInputTags",
    "UPinInput",
    "USelectMenu",
  ],
  views: [
    "UAccordion",
    "UBreadcrumb",
    "UCollapsible",
    "UPagination",
    "UProgress",
    "UStepper",
    "UTabs",
    "UTimeline",
    "UTree",
  ],
  table: ["UTable"],
  palette: ["UCommandPalette"],
} as const;
