import type { Rule, Scope, SourceCode } from "eslint";

interface Named {
  type: string;
  name?: string;
  value?: unknown;
}

/** Names through which the global object is reached. */
const GLOBAL_OBJECTS = new Set(["globalThis", "window", "self", "global"]);

/**
 * Visitors that call back where a file uses one of these globals at run time: `name`, or `globalThis.name`. A local
 * thing of the same name and a mention in a type are something else.
 */
export function visitGlobals(
  source: SourceCode,
  names: ReadonlySet<string>,
  visit: (name: string, node: Rule.Node) => void,
): Rule.RuleListener {
  return {
    "Program:exit"() {
      for (const reference of globalReferences(source.scopeManager)) {
        const node = reference.identifier as unknown as Rule.Node & Named;
        if (isInType(reference, node)) continue;
        if (names.has(node.name!)) visit(node.name!, node);
        if (!GLOBAL_OBJECTS.has(node.name!)) continue;
        const read = readOf(node);
        if (read && names.has(read.name)) visit(read.name, read.node);
      }
    },
  };
}

/** The read of a property from `object`, such as `now` of `Date.now`. */
export function readOf(
  object: Rule.Node,
): { name: string; node: Rule.Node } | undefined {
  const node = object.parent;
  if (
    node?.type !== "MemberExpression" ||
    node.object !== (object as unknown)
  ) {
    return undefined;
  }
  const { type, name, value } = node.property as Named;
  if (!node.computed && type === "Identifier") return { name: name!, node };
  return typeof value === "string" ? { name: value, node } : undefined;
}

function* globalReferences(
  manager: Scope.ScopeManager,
): Generator<Scope.Reference> {
  for (const scope of manager.scopes) {
    for (const reference of scope.references) {
      const { resolved } = reference;
      if (!resolved || resolved.defs.length === 0) yield reference;
    }
  }
}

function isInType(reference: Scope.Reference, node: Rule.Node): boolean {
  const { isValueReference } = reference as Scope.Reference & {
    isValueReference?: boolean;
  };
  return (
    isValueReference === false ||
    (node.parent?.type as string) === "TSTypeQuery"
  );
}
