import type { Rule } from "eslint";
import type { Comment, Declaration, Node } from "estree";

type Export = Node & { declaration?: Declaration | null };

/** The type of a schema, as in `export type Note = z.infer<typeof note>`. */
const SCHEMA_TYPE = /^export type \w+ = z\.infer<typeof \w+>/;

/**
 * Every name that a contract exports has a docstring right above it: what it is or does, and when it fails. A value and
 * a type of one name share theirs, and so do a schema and its type. What another file exports is documented there.
 */
export const documentedExports: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: {
      missing:
        "`{{name}}` needs a docstring: what it is or does, and when it fails.",
    },
  },
  create({ sourceCode, report }) {
    const missing = new Map<string, Node>();
    const documented = new Set<string>();
    const hasDocstring = (node: Node) => {
      const last = (sourceCode.getCommentsBefore(node) as Comment[]).at(-1);
      return (
        last?.type === "Block" &&
        last.value.startsWith("*") &&
        last.loc!.end.line >= node.loc!.start.line - 1
      );
    };
    return {
      ExportNamedDeclaration(node: Export) {
        if (SCHEMA_TYPE.test(sourceCode.getText(node))) return;
        for (const name of namesOf(node.declaration)) {
          if (hasDocstring(node)) documented.add(name);
          else if (!missing.has(name)) missing.set(name, node);
        }
      },
      "Program:exit"() {
        for (const [name, node] of missing) {
          if (documented.has(name)) continue;
          report({ node, messageId: "missing", data: { name } });
        }
      },
    };
  },
};

function namesOf(declaration: Declaration | null | undefined): string[] {
  if (!declaration) return [];
  if (declaration.type !== "VariableDeclaration")
    return declaration.id ? [declaration.id.name] : [];
  return declaration.declarations.flatMap(({ id }) =>
    id.type === "Identifier" ? [id.name] : [],
  );
}
