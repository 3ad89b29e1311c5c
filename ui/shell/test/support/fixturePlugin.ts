import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PluginInfo } from "../../app/shell/wire.ts";
import type { StandInPlugin } from "./standIn.ts";

/** A plugin whose UI is given as text, or is a file in `test/fixtures`, as a third party's build would have made it. */
export function fixturePlugin(
  id: string,
  options: {
    source?: string;
    candidates?: string[];
    info?: Partial<PluginInfo>;
  } = {},
): StandInPlugin {
  const file = () =>
    readFileSync(join(import.meta.dirname, "../fixtures", `${id}.mjs`), "utf8");
  return {
    info: {
      id,
      summary: `The fixture ${id}`,
      version: "1.0.0",
      state: "active",
      reason: null,
      faults: 0,
      origin: "home",
      ui: { entry: `/plugins/${id}/ui/index.mjs?v=1`, css: null },
      ...options.info,
    },
    files: { "index.mjs": options.source ?? file() },
    candidates: options.candidates ?? [],
  };
}

/** Source of a UI with one page that shows a text, and an entry of the navigation. */
export function pageSource(id: string, text: string): string {
  return `
    import { definePluginUi, PageShell } from "@gantry/ui-kit";
    import { h } from "vue";
    const page = { render: () => h(PageShell, { title: ${JSON.stringify(text)} }, () => h("p", { class: "text-[19px]" }, "here")) };
    export default definePluginUi({
      pages: [{ path: "/", component: page }],
      navigation: [{ label: ${JSON.stringify(text)}, icon: "i-lucide-house", to: "/${id}" }],
    });`;
}
