import { promisedComponents } from "@gantry/ui-kit";
import { defineNuxtPlugin } from "#imports";
import type { Component } from "vue";
import {
  createDeferredComponent,
  type Placeholder,
} from "../shell/deferredComponent.ts";

type Group = Exclude<keyof typeof promisedComponents, "atOnce">;

const groups: Readonly<
  Record<Group, { load: () => Promise<object>; placeholder: Placeholder }>
> = {
  overlays: {
    load: () => import("../components/groups/overlays.ts"),
    placeholder: "trigger",
  },
  inputs: {
    load: () => import("../components/groups/inputs.ts"),
    placeholder: "field",
  },
  pickers: {
    load: () => import("../components/groups/pickers.ts"),
    placeholder: "field",
  },
  views: {
    load: () => import("../components/groups/views.ts"),
    placeholder: "nothing",
  },
  table: {
    load: () => import("../components/groups/table.ts"),
    placeholder: "block",
  },
  palette: {
    load: () => import("../components/groups/palette.ts"),
    placeholder: "block",
  },
};

const ownPlaceholders: Readonly<Record<string, Placeholder>> = {
  UCheckbox: "mark",
  USwitch: "mark",
  UForm: "trigger",
};

/**
 * Registers the Nuxt UI components that the shell and every plugin use by name. Those that are there at once are fetched
 * while the daemon is asked who is there, and before the first page is shown.
 */
export default defineNuxtPlugin({
  name: "gantry:promised-components",
  enforce: "pre",
  order: -45,
  parallel: true,
  async setup({ vueApp }) {
    for (const [group, { load, placeholder }] of Object.entries(groups)) {
      for (const name of promisedComponents[group as Group]) {
        // That each group's file exports what the list says is tested.
        const pick = async () =>
          ((await load()) as Record<string, Component>)[name] as Component;
        vueApp.component(
          name,
          createDeferredComponent(pick, ownPlaceholders[name] ?? placeholder),
        );
      }
    }
    const atOnce = await import("../components/groups/atOnce.ts");
    for (const [name, component] of Object.entries(atOnce))
      vueApp.component(name, component);
  },
});
