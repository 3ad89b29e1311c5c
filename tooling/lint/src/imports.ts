import type { Rule } from "eslint";

/** One module that a file names: by import, re-export, `import()`, a type import or `require`. */
export interface ImportedModule {
  specifier: string;
  node: Rule.Node;
  /** True if nothing of it is there at run time. */
  typeOnly: boolean;
}

// ESTree's types do not know the nodes of TypeScript.
interface ImportLike {
  type: string;
  source?: unknown;
  argument?: unknown;
  arguments?: unknown[];
  callee?: { type: string; name?: string };
  importKind?: string;
  exportKind?: string;
  specifiers?: { importKind?: string; exportKind?: string }[];
}

/** Visitors that call back for each module that a file names. */
export function visitImports(
  visit: (imported: ImportedModule) => void,
): Rule.RuleListener {
  const onNode = (node: Rule.Node) => {
    const specifier = specifierOf(node as unknown as ImportLike);
    if (specifier === undefined) return;
    visit({
      specifier,
      node,
      typeOnly: isTypeOnly(node as unknown as ImportLike),
    });
  };
  return {
    ImportDeclaration: onNode,
    ExportNamedDeclaration: onNode,
    ExportAllDeclaration: onNode,
    ImportExpression: onNode,
    TSImportType: onNode,
    TSImportEqualsDeclaration: onNode,
    CallExpression: onNode,
  };
}

function specifierOf(node: ImportLike): string | undefined {
  if (node.type === "CallExpression") {
    if (node.callee?.type !== "Identifier" || node.callee.name !== "require")
      return undefined;
    return literalOf(node.arguments?.[0]);
  }
  return literalOf(node.source) ?? literalOf(node.argument);
}

function literalOf(node: unknown): string | undefined {
  const { type, value, literal } = (node ?? {}) as {
    type?: string;
    value?: unknown;
    literal?: unknown;
  };
  if (type === "Literal") return typeof value === "string" ? value : undefined;
  if (type === "TSLiteralType") return literalOf(literal);
  return undefined;
}

function isTypeOnly(node: ImportLike): boolean {
  if (
    node.type === "TSImportType" ||
    node.importKind === "type" ||
    node.exportKind === "type"
  )
    return true;
  const specifiers = node.specifiers ?? [];
  return (
    specifiers.length > 0 &&
    specifiers.every(
      (specifier) =>
        specifier.importKind === "type" || specifier.exportKind === "type",
    )
  );
}
