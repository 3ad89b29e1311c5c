/** The part of the daemon's document that tells which codes an operation answers. */
export interface CodesDocument {
  paths: Record<string, Record<string, { "x-error-codes": string[] }>>;
}

/** Which codes the operations of a daemon declare. */
export interface DeclaredCodes {
  /** The codes of an operation, `undefined` if there is none at that address. */
  at(method: string, target: string): readonly string[] | undefined;
}

/** Reads the codes of all operations from the document that a daemon serves. */
export function readDeclaredCodes({ paths }: CodesDocument): DeclaredCodes {
  const operations = Object.entries(paths)
    .map(([path, methods]) => ({
      parameters: path.split("{").length - 1,
      matches: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
      methods,
    }))
    // An address without parameters goes before one that has them.
    .sort((one, other) => one.parameters - other.parameters);
  return {
    at(method, target) {
      const path = target.split("?")[0] ?? "";
      const name = method === "HEAD" ? "get" : method.toLowerCase();
      return operations.find(({ matches }) => matches.test(path))?.methods[
        name
      ]?.["x-error-codes"];
    },
  };
}

/** What the kernel answers where no operation is: behind dots in the address, or to an upgrade. */
const OF_NO_OPERATION = ["METHOD_NOT_ALLOWED", "ROUTE_NOT_FOUND"];

/** Says what is wrong with the code of an answer, `undefined` for nothing. */
export function findUndeclared(
  codes: DeclaredCodes,
  { method, target, code }: { method: string; target: string; code: string },
): string | undefined {
  const declared = codes.at(method, target);
  return !declared || [...declared, ...OF_NO_OPERATION].includes(code)
    ? undefined
    : `${method} ${target} answered ${code}, which it does not declare`;
}
