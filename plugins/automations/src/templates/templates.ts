import type { AutomationTemplate, AutomationTemplates } from "../contract.ts";
import { errors } from "../errors.ts";
import { builtInTemplates } from "./built-in.ts";
import { readTemplate } from "./template.ts";
import type { TemplateView } from "./template.ts";

/** The templates that there are: our own, and those of plugins that are active. */
export interface Templates {
  /** Ours first; those of one category only, if one is given, however that is capitalised. */
  list(category?: string): TemplateView[];
  /** Takes those of other plugins. */
  readonly service: AutomationTemplates;
}

export function createTemplates(): Templates {
  const added = new Map<string, TemplateView>();
  const ownIds = new Set(builtInTemplates.map(({ id }) => id));
  /** Read when they are first asked for, which few daemons ever are. */
  let own: TemplateView[] | undefined;

  function read(template: AutomationTemplate): TemplateView {
    const result = readTemplate(template);
    if ("problem" in result)
      throw errors.AUTOMATION_TEMPLATE_INVALID({ problem: result.problem });
    return result.view;
  }

  function add(template: AutomationTemplate): string {
    const view = read(template);
    const { id } = view;
    if (ownIds.has(id) || added.has(id))
      throw errors.AUTOMATION_TEMPLATE_TAKEN({ id });
    added.set(id, view);
    return id;
  }

  return {
    list(category) {
      own ??= builtInTemplates.map(read);
      const wanted = category?.toLowerCase();
      return [...own, ...added.values()].filter(
        (one) => wanted === undefined || one.category.toLowerCase() === wanted,
      );
    },
    service: {
      async add(template, signal) {
        signal.throwIfAborted();
        const id = add(template);
        signal.addEventListener("abort", () => added.delete(id), {
          once: true,
        });
      },
    },
  };
}
