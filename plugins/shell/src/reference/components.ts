import type { Schema } from "@gantry/plugin";

export type Json = Record<string, unknown>;

const DRAFT = { target: "draft-2020-12" } as const;
const HERE = "#/$defs/";
const THERE = "#/components/schemas/";

/** The named schemas of a document, gathered while its operations are described. */
export interface Components {
  readonly schemas: Json;
  /** A schema's own description of itself, its named parts moved to the document's components. */
  describe(schema: Schema, direction: "input" | "output"): Json;
  /** The component that a description refers to, or the description itself. */
  resolve(description: Json): Json;
}

/** Begins with the components that are always there. */
export function createComponents(always: Json): Components {
  const schemas: Json = { ...always };
  /** What each component was made from, to tell an equal one from another of the same name. */
  const sources = new Map<string, string>();

  /** Plugins do not know of each other's names, and what goes in may differ from what comes out. */
  function nameFor(name: string, source: string): string {
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? name : `${name}${count}`;
      const taken = sources.get(candidate);
      if (taken === source) return candidate;
      if (taken !== undefined || candidate in always) continue;
      sources.set(candidate, source);
      return candidate;
    }
  }

  return {
    schemas,
    describe(schema, direction) {
      const {
        $schema: _,
        $defs = {},
        ...description
      } = schema["~standard"].jsonSchema[direction](DRAFT) as Json;
      const parts = Object.entries($defs as Json);
      const names = new Map(
        parts.map(([name]) => {
          const source = sourceOf(name, $defs as Json);
          return [HERE + name, THERE + nameFor(name, source)];
        }),
      );
      for (const [name, part] of parts) {
        const reference = names.get(HERE + name) ?? "";
        schemas[reference.slice(THERE.length)] = relocate(part, names);
      }
      return relocate(description, names) as Json;
    },
    resolve({ $ref, ...description }) {
      const name = typeof $ref === "string" ? $ref.slice(THERE.length) : "";
      return (schemas[name] as Json | undefined) ?? description;
    },
  };
}

/** A part with all that it refers to, as one text. */
function sourceOf(name: string, parts: Json): string {
  const found = new Map<string, string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    const text = JSON.stringify(parts[next]);
    found.set(next, text);
    for (const [, other] of text.matchAll(/"#\/\$defs\/([^"]+)"/g))
      if (other) open.push(other);
  }
  return JSON.stringify([...found].sort());
}

/** Rewrites references from a schema's own parts to the document's components. */
function relocate(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => relocate(each, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string"
        ? (names.get(part) ?? part)
        : relocate(part, names),
    ]),
  );
}
