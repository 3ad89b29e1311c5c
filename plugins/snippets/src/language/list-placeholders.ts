import { scanBody } from "./scan-body.ts";
import type { BodyPart } from "./scan-body.ts";

/** A placeholder of a body, whatever number of times it is used. */
export interface Placeholder {
  name: string;
  /** What stands there if nothing is typed; `null` if there is no such thing. */
  default: string | null;
  /** Whether it may be left empty. One with a default never is, so for it this is `false`. */
  optional: boolean;
  /** Whether it is filled from the target, and never asked for. */
  reserved: boolean;
}

/**
 * The table of a body: each name once, in the order of their first use. The first use of a name that has a `=` says
 * what its default is, and whether it is optional.
 */
export function listPlaceholders(body: string): Placeholder[] {
  return toTable(scanBody(body).parts);
}

/** As {@link listPlaceholders}, for a body that has been read already. */
export function toTable(parts: readonly BodyPart[]): Placeholder[] {
  const table = new Map<string, Placeholder>();
  for (const part of parts) {
    if (part.kind === "text") continue;
    const { name, optional, reserved } = part;
    const known = table.get(name);
    if (!known)
      table.set(name, { name, default: part.default, optional, reserved });
    else if (known.default === null && !known.optional) {
      known.default = part.default;
      known.optional = optional;
    }
  }
  return [...table.values()];
}
