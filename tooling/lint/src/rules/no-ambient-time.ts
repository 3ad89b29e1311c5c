import type { Rule } from "eslint";
import type { NewExpression, SimpleCallExpression } from "estree";
import { readOf, visitGlobals } from "../globals.ts";
import { visitImports } from "../imports.ts";

const GLOBALS = new Set(["Date", "performance", "setTimeout", "setInterval"]);

/** A plugin reads the time and waits through `ctx.clock`, which tests drive. */
export const noAmbientTime: Rule.RuleModule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      refused:
        "Tests drive the time through ctx.clock; {{what}} would escape them.",
    },
  },
  create(context) {
    const report = (node: Rule.Node, what: string) =>
      context.report({ node, messageId: "refused", data: { what } });
    return {
      ...visitGlobals(context.sourceCode, GLOBALS, (name, node) => {
        const what = readsTime(name, node);
        if (what) report(node, what);
      }),
      ...visitImports(({ specifier, node, typeOnly }) => {
        if (!typeOnly && /^(node:)?timers(\/promises)?$/.test(specifier))
          report(node, specifier);
      }),
    };
  },
};

/** What of the time this use of a global reads, `undefined` if it reads none: `new Date(0)` is only arithmetic. */
function readsTime(name: string, node: Rule.Node): string | undefined {
  if (name !== "Date" && name !== "performance") return name;
  if (readOf(node)?.name === "now") return `${name}.now`;
  const { parent } = node;
  if (name === "performance" || !isCallOf(parent, node)) return undefined;
  if (parent.type === "CallExpression") return "Date()";
  return parent.arguments.length === 0 ? "new Date()" : undefined;
}

function isCallOf(
  parent: Rule.Node | null,
  callee: Rule.Node,
): parent is Rule.Node & (SimpleCallExpression | NewExpression) {
  return (
    (parent?.type === "CallExpression" || parent?.type === "NewExpression") &&
    parent.callee === (callee as unknown)
  );
}
