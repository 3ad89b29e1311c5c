import type { Rule } from "eslint";
import { visitImports } from "../imports.ts";
import { placeOf, refusal } from "../layers.ts";

/** Each layer imports only what it may: see `layers.ts` beside the rules. */
export const layers: Rule.RuleModule = {
  meta: { type: "problem", schema: [], messages: { refused: "{{reason}}." } },
  create(context) {
    const place = placeOf(context.cwd, context.filename);
    return visitImports(({ specifier, node }) => {
      const reason = refusal(place, specifier);
      if (reason)
        context.report({ node, messageId: "refused", data: { reason } });
    });
  },
};
