import type { Rule, SourceCode } from "eslint";
import type { ImportDeclaration } from "estree";
import { readOf, visitGlobals } from "../globals.ts";
import { visitImports } from "../imports.ts";

const GLOBALS = new Set(["fetch", "XMLHttpRequest"]);
const MODULES = new Set(["axios", "got", "node-fetch", "ofetch", "undici"]);
const CLIENT_FUNCTIONS = new Set(["request", "get"]);

/**
 * Requests leave only through the kernel's guard or the kit's API client, where redirects, addresses and sizes are
 * checked. Node's `http` may be imported for serving.
 */
export const noBareFetch: Rule.RuleModule = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      refused:
        "Requests go out through ctx.fetch in a server and the API client of @gantry/ui-kit in a UI; not with {{what}}.",
    },
  },
  create(context) {
    const report = (node: Rule.Node, what: string) =>
      context.report({ node, messageId: "refused", data: { what } });
    return {
      ...visitGlobals(context.sourceCode, GLOBALS, (name, node) =>
        report(node, name),
      ),
      ...visitImports(({ specifier, node, typeOnly }) => {
        if (typeOnly) return;
        if (MODULES.has(specifier)) report(node, specifier);
        if (!/^(node:)?https?$/.test(specifier)) return;
        if (node.type !== "ImportDeclaration") return;
        for (const use of clientUses(context.sourceCode, node)) {
          report(use.node, `${use.name} of ${specifier}`);
        }
      }),
    };
  },
};

/** Where the client half of `node:http` is imported by name or read from the module's object. */
function* clientUses(
  source: SourceCode,
  declaration: ImportDeclaration,
): Generator<{ name: string; node: Rule.Node }> {
  for (const specifier of declaration.specifiers) {
    if (specifier.type === "ImportSpecifier") {
      const name = String((specifier.imported as { name?: string }).name);
      if (CLIENT_FUNCTIONS.has(name)) {
        yield { name, node: specifier as unknown as Rule.Node };
      }
      continue;
    }
    for (const variable of source.getDeclaredVariables(specifier)) {
      for (const { identifier } of variable.references) {
        const read = readOf(identifier as unknown as Rule.Node);
        if (read && CLIENT_FUNCTIONS.has(read.name)) yield read;
      }
    }
  }
}
