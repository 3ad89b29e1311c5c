import fc from "fast-check";
import type { JsonSchema } from "../../attacks/world/routes.ts";

/** Values that have broken something somewhere. */
const HOSTILE: readonly unknown[] = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e\u2066right to left",
  "../../../../etc/passwd",
  "/proc/self/environ",
  "file:///etc/passwd",
  "http://169.254.169.254/latest",
  "$(touch /tmp/canary-fuzz)",
  "`touch /tmp/canary-fuzz`",
  "--help",
  "{{cwd}}{{{{",
  "<img src=x onerror=alert(1)>",
  "\u001b]0;title\u0007",
  "__proto__",
  "x".repeat(20_000),
  "1e309",
  -1,
  0,
  1.5,
  Number.MAX_SAFE_INTEGER,
  1e308,
  null,
  true,
  [],
  {},
  ["x", 1, null],
  { constructor: { name: "x" } },
];

const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Names of schemas that others refer to. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * Values for a schema: most of them fit it as far as it tells, some do not, so that a request gets past its checks and is
 * still odd.
 *
 * @param fitting How much more often a part fits than not.
 */
export function valuesOf(
  schema: JsonSchema,
  definitions: Definitions,
  fitting: number,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: fitting, arbitrary: fittingValues(schema, definitions, fitting) },
    { weight: 1, arbitrary: hostile },
  );
}

function fittingValues(
  schema: JsonSchema,
  definitions: Definitions,
  fitting: number,
): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => valuesOf(part, definitions, fitting);
  if (schema.$ref) {
    const target = definitions[schema.$ref.split("/").at(-1) ?? ""];
    return target ? fittingValues(target, definitions, fitting) : hostile;
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices)
    return fc.oneof(
      ...choices.map((choice) => fittingValues(choice, definitions, fitting)),
    );
  const [type] = [schema.type ?? "string"].flat();
  if (type === "object") return objects(schema, inner);
  if (type === "array")
    return fc.array(inner(schema.items ?? {}), {
      maxLength: Math.min(schema.maxItems ?? 4, 4),
    });
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "integer" || type === "number") return numbers(schema, type);
  return texts(schema);
}

function objects(
  { properties = {}, required = [] }: JsonSchema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const entries = Object.entries(properties).map(
    ([name, part]) => [name, inner(part)] as const,
  );
  return fc.record(Object.fromEntries(entries), {
    requiredKeys: [...required],
  });
}

function numbers(
  { minimum, maximum, exclusiveMinimum }: JsonSchema,
  type: string,
): fc.Arbitrary<number> {
  const min = Math.ceil(minimum ?? exclusiveMinimum ?? 0);
  const max = Math.floor(Math.min(maximum ?? min + 100, 2 ** 31));
  if (type === "integer") return fc.integer({ min, max: Math.max(min, max) });
  return fc.double({ min, max: Math.max(min, max), noNaN: true });
}

const WORDS = ["practice", "main", "HEAD", "src", "README.md", "00:30", "x"];

function texts({ minLength = 0, maxLength = 40 }: JsonSchema) {
  return fc.oneof(
    fc.constantFrom(...WORDS),
    fc.string({ minLength, maxLength: Math.min(maxLength, 60) }),
    fc.string({
      unit: "grapheme",
      minLength,
      maxLength: Math.min(maxLength, 20),
    }),
  );
}
