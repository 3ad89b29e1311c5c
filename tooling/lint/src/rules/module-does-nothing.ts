import type { Rule } from "eslint";

const DECLARATIONS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportDefaultDeclaration",
  "ExportAllDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "VariableDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSModuleDeclaration",
  "TSDeclareFunction",
]);

interface Variables {
  kind: string;
  declare?: boolean;
}

/** Importing a module does nothing: it holds declarations, waits for nothing, and keeps no state of its own. */
export const moduleDoesNothing: Rule.RuleModule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      statement:
        "Importing a module must do nothing: move this into a function that setup calls.",
      state:
        "State of a module outlives the plugin that uses it and is shared by all; keep it in an object that setup makes.",
      wait: "Importing a module must not wait.",
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      "Program > *"(node: Rule.Node) {
        if (!DECLARATIONS.has(node.type) && !isDirective(node)) {
          context.report({ node, messageId: "statement" });
        }
      },
      "Program > VariableDeclaration, Program > ExportNamedDeclaration > VariableDeclaration"(
        node: Rule.Node,
      ) {
        const { kind, declare } = node as unknown as Variables;
        if (kind !== "let" && kind !== "var") return;
        if (!declare) context.report({ node, messageId: "state" });
      },
      "AwaitExpression, ForOfStatement[await=true]"(node: Rule.Node) {
        const inFunction = sourceCode
          .getAncestors(node)
          .some(({ type }) => /Function/.test(type) || type === "StaticBlock");
        if (!inFunction) context.report({ node, messageId: "wait" });
      },
    };
  },
};

/** `"use strict"` and the like. */
function isDirective(node: Rule.Node): boolean {
  return (node as { directive?: string }).directive !== undefined;
}
