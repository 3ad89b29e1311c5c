import type { AutomationTemplates } from "../contract.ts";
import { errors } from "../errors.ts";
import { builtInTemplates } from "./built-in.ts";
import { readTemplate } from "./template.ts";
import type { TemplateView } from "./template.ts";

/** The templates that there are: our own, and those of plugins that are active. */
export interface Templates {
  /** Ours first; those of one category only, if one is given. */
  list(category?: string): TemplateView[];
  /** Takes those of other plugins. */
  readonly service: AutomationTemplates;
}

export function createTemplates(): Templates {
  const known = new Map<string, TemplateView>();

  function add(template: Parameters<AutomationTemplates["add"]>[0]): string {
    const read = readTemplate(template);
    if ("problem" in read)
      throw errors.AUTOMATION_TEMPLATE_INVALID({ problem: read.problem });
    const { id } = read.view;
    if (known.has(id)) throw errors.AUTOMATION_TEMPLATE_TAKEN({ id });
    known.set(id, read.view);
    return id;
  }

  for (const template of builtInTemplates) add(template);
  return {
    list: (category) =>
      [...known.values()].filter(
        (one) => category === undefined || one.category === category,
      ),
    service: {
      async add(template, signal) {
        signal.throwIfAborted();
        const id = add(template);
        signal.addEventListener("abort", () => known.delete(id), {
          once: true,
        });
      },
    },
  };
}
