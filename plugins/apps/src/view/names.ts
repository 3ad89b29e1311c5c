import * as z from "zod";

/**
 * A name of something: an app, an action, a field, a column. Two words are left out that are members of every object in
 * JavaScript, which a request may not have as keys.
 */
export const NAME_PATTERN =
  /^(?!(?:constructor|prototype)$)[a-z][a-z0-9-]{0,39}$/;

/** Schema of such a name. */
export const kebabName = z
  .string()
  .regex(NAME_PATTERN, "is not kebab-case of 1 to 40 characters");

/** A page of an app; `""` is its first one. */
export const pagePath = z.string().max(1000);

/** A short text on one line. */
export const line = z.string().max(300);

/** What a thing means to the reader. */
export const tone = z
  .enum(["neutral", "success", "attention", "failed"])
  .default("neutral");

/** A symbol of the icon set that the shell has. */
export const icon = z
  .string()
  .regex(/^i-lucide-[a-z0-9-]+$/, 'is no "i-lucide-…"')
  .max(100);

/** RFC 3339, with any offset. */
export const moment = z.iso.datetime({ offset: true });

/** Plain data that goes along with an action. */
export const actionArgs = z
  .record(z.string(), z.unknown())
  .refine((args) => depthOf(args) <= MAX_ARGS_DEPTH, "is nested too deep")
  .default({});

/** Arguments come back in a request, which has a limit of its own. */
const MAX_ARGS_DEPTH = 16;

function depthOf(value: unknown): number {
  let depth = 0;
  for (
    let level: unknown[] = [value];
    level.length > 0 && depth <= MAX_ARGS_DEPTH;
    depth++
  )
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
  return depth;
}

/** Reports each value that stands more than once, at its index. */
export function reportDoubles(
  context: z.core.ParsePayload,
  values: readonly string[],
  path: (index: number) => PropertyKey[],
): void {
  const seen = new Set<string>();
  values.forEach((value, index) => {
    if (seen.has(value))
      context.issues.push({
        code: "custom",
        input: value,
        path: path(index),
        message: "is there twice",
      });
    seen.add(value);
  });
}
