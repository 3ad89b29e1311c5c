import { defineAppConfig } from "nuxt/app";

// What floats above the page is set off by a darker page and, in the dark, by a lighter ground.
const overlay = "bg-black/25 dark:bg-black/60";
const content = "dark:bg-muted";

const touch =
  "pointer-coarse:min-h-9 pointer-coarse:min-w-9 pointer-coarse:justify-center";

/** Small departures from Nuxt UI's own look. */
export default defineAppConfig({
  ui: {
    // A finger needs more room than a pointer.
    button: {
      variants: {
        size: { xs: { base: touch }, sm: { base: touch }, md: { base: touch } },
      },
      // Under a pointer a filled button gets darker: paler, its words could not be read in the light.
      compoundVariants: [
        {
          color: "primary",
          variant: "solid",
          class:
            "hover:bg-primary-700 active:bg-primary-700 dark:hover:bg-primary-300 dark:active:bg-primary-300",
        },
        {
          color: "error",
          variant: "solid",
          class:
            "hover:bg-error-700 active:bg-error-700 dark:hover:bg-error-300 dark:active:bg-error-300",
        },
      ],
    },
    switch: {
      slots: {
        base: "relative pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5 pointer-coarse:after:content-['']",
      },
    },
    modal: {
      slots: {
        content,
        // Beside the button that closes it.
        wrapper: "pe-9",
        title: "text-sm",
        description: "text-sm",
        header: "min-h-14",
      },
      variants: { overlay: { true: { overlay } } },
    },
    slideover: {
      slots: { overlay, content, title: "text-sm", header: "min-h-14" },
    },
    drawer: { slots: { overlay, content } },
    popover: { slots: { content } },
    dropdownMenu: { slots: { content } },
    contextMenu: { slots: { content } },
    select: { slots: { content } },
    selectMenu: { slots: { content } },
    inputMenu: { slots: { content } },
    tooltip: { slots: { content: "dark:bg-elevated" } },
    commandPalette: {
      slots: { itemLeadingIcon: "size-4", label: "font-medium text-muted" },
    },
    card: {
      slots: {
        header: "p-4 sm:px-4",
        body: "p-4 sm:p-4",
        footer: "p-4 sm:px-4",
      },
    },
  },
});
