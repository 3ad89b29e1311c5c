import type { Rule } from "eslint";
import { visitImports } from "../imports.ts";

/** Modules that start processes. */
const MODULES = new Set([
  "child_process",
  "node:child_process",
  "cross-spawn",
  "execa",
  "tinyexec",
  "zx",
]);

/** Only the kernel's process keeper starts processes: it ends whole trees, and those that a crash left. */
export const noChildProcess: Rule.RuleModule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      refused:
        "Processes are started through ctx.run, which ends them with the plugin; not with {{specifier}}.",
    },
  },
  create: (context) =>
    visitImports(({ specifier, node, typeOnly }) => {
      if (typeOnly || !MODULES.has(specifier)) return;
      context.report({ node, messageId: "refused", data: { specifier } });
    }),
};
