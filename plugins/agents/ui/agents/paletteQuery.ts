/** A parsed query of the command palette. */
export interface PaletteQuery {
  verb: "go" | "stop" | undefined;
  /** Part of an agent's name. */
  name: string;
}

/** Parses a query such as `stop build`, `go to build` or `build`. */
export function readQuery(query: string): PaletteQuery {
  const match = /^(stop|go to|go|open)(?:\s+(.*))?$/i.exec(query.trim());
  if (!match) return { verb: undefined, name: query.trim() };
  const verb = match[1]?.toLowerCase() === "stop" ? "stop" : "go";
  return { verb, name: match[2]?.trim() ?? "" };
}
