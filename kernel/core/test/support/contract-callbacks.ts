import { fileURLToPath } from "node:url";
import ts from "typescript";

const CONTRACT = fileURLToPath(
  new URL("../../../contract/src/", import.meta.url),
);
/** Types of Node that a plugin can attach listeners to. */
const EMITTERS = new Set([
  "AbortSignal",
  "Duplex",
  "Readable",
  "Socket",
  "Writable",
]);
/** The contract knows nothing of a service but that it is code of a plugin. */
const SERVICE = "PluginContext.provide(service)";

/** Which way a value crosses the contract. */
type Direction = "to the kernel" | "to the plugin";

/**
 * Lists every place of the plugin contract through which code of a plugin comes to run: functions, schemas and services that
 * a plugin hands to the kernel, and signals and streams of the kernel that a plugin can listen to. Each is named by
 * where it is declared, such as `RouteDefinition.handle`, `PluginContext.on(listener)` or `RouteRequest.signal`.
 *
 * The types are followed from `PluginDefinition` on. The parameters of a function that the kernel calls go to the plugin,
 * and those of a function that the plugin calls go to the kernel.
 */
export function listContractCallbacks(): string[] {
  const program = createProgram();
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  const seen = new Map<ts.Type, Set<Direction>>();

  function visit(type: ts.Type, direction: Direction, name: string): void {
    const typeName = (type.aliasSymbol ?? type.symbol)?.name ?? "";
    if (EMITTERS.has(typeName)) {
      // A stream of the plugin's own runs its code when the kernel reads it.
      if (direction === "to the plugin" || typeName === "Readable")
        found.add(name);
      return;
    }
    const constraint = type.isTypeParameter() && type.getConstraint();
    if (constraint && name !== SERVICE)
      return visit(constraint, direction, name);
    if (typeName === "Schema" || name === SERVICE) {
      if (direction === "to the kernel") found.add(name);
      return;
    }
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, direction, name);
      return;
    }
    const signatures = type.getCallSignatures();
    if (signatures.length > 0 && direction === "to the kernel") found.add(name);
    const directions = seen.get(type) ?? new Set();
    if (directions.has(direction)) return;
    seen.set(type, directions.add(direction));

    for (const argument of argumentsOf(type)) visit(argument, direction, name);
    const index = type.getStringIndexType();
    if (index) visit(index, direction, name);
    for (const signature of signatures) {
      const inwards =
        direction === "to the kernel" ? "to the plugin" : "to the kernel";
      for (const parameter of signature.parameters)
        visitSymbol(parameter, inwards);
      visit(signature.getReturnType(), direction, name);
    }
    for (const property of type.getProperties())
      visitSymbol(property, direction);
  }

  function visitSymbol(symbol: ts.Symbol, direction: Direction): void {
    const declaration = symbol.valueDeclaration;
    if (!declaration || !isOfContract(declaration)) return;
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
    visit(type, direction, nameOf(declaration));
  }

  /** What is in a promise, a list or a record. Of the contract's own types the properties tell more. */
  function argumentsOf(type: ts.Type): readonly ts.Type[] {
    const declaration = (type.aliasSymbol ?? type.symbol)?.declarations?.[0];
    if (!declaration || isOfContract(declaration)) return [];
    const isReference =
      ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
    return [
      ...(type.aliasTypeArguments ?? []),
      ...(isReference
        ? checker.getTypeArguments(type as ts.TypeReference)
        : []),
    ];
  }

  const roots = [
    findDeclaration(program, "plugin.ts", "PluginDefinition"),
    // What a handler gives back depends on its route's `returns`, which the checker does not follow.
    ...findBranches(findDeclaration(program, "route.ts", "AnswerOf")),
  ];
  for (const root of roots)
    visit(checker.getTypeAtLocation(root), "to the kernel", root.getText());
  return [...found].sort();
}

function createProgram(): ts.Program {
  return ts.createProgram([`${CONTRACT}plugin.ts`], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    types: ["node"],
  });
}

function findDeclaration(
  program: ts.Program,
  file: string,
  name: string,
): ts.Node {
  const declaration = program
    .getSourceFile(CONTRACT + file)
    ?.statements.find(
      (statement) =>
        (ts.isInterfaceDeclaration(statement) ||
          ts.isTypeAliasDeclaration(statement)) &&
        statement.name.text === name,
    );
  if (!declaration) throw new Error(`The contract has no ${name}.`);
  return declaration;
}

/** The types that a conditional type may be. */
function findBranches(node: ts.Node): ts.Node[] {
  if (ts.isTypeAliasDeclaration(node)) return findBranches(node.type);
  if (!ts.isConditionalTypeNode(node)) return [node];
  return [...findBranches(node.trueType), ...findBranches(node.falseType)];
}

function isOfContract(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(CONTRACT);
}

/** `RouteDefinition.handle`; of a parameter `PluginContext.on(listener)`. */
function nameOf(node: ts.Node): string {
  if (ts.isSourceFile(node)) return "";
  const owner = nameOf(node.parent);
  if (ts.isParameter(node)) return `${owner}(${node.name.getText()})`;
  const own = (node as Partial<ts.NamedDeclaration>).name?.getText();
  if (own === undefined) return owner;
  return owner === "" ? own : `${owner}.${own}`;
}
