import type { CollectionDefinition, StoredRecord } from "@gantry/plugin";
import { issuePath } from "../issue-path.ts";

/** How a record lies in the store: with the version of the schema that wrote it. */
interface Envelope {
  v: number;
  data: unknown;
}

/** Wraps a record for the store. */
export function sealEnvelope(version: number, data: object): Envelope {
  return { v: version, data };
}

/** Reads a record back: lifted to the current version and checked, or the reason why it cannot be read. */
export async function openEnvelope<Record extends StoredRecord>(
  definition: CollectionDefinition<Record>,
  value: object,
): Promise<{ record: Record } | { reason: string }> {
  const { v, data } = value as Partial<Envelope>;
  if (typeof v !== "number" || data === undefined)
    return { reason: "it is not a record of this store" };
  if (v > definition.version)
    return { reason: `it was written by a later version (${v})` };
  if (v < definition.version && !definition.migrate)
    return { reason: `version ${v} is no longer known` };
  let current: unknown = data;
  try {
    if (v < definition.version) current = definition.migrate?.(data, v);
  } catch (error) {
    return { reason: `version ${v} could not be lifted: ${String(error)}` };
  }
  const result = await definition.schema["~standard"].validate(current);
  if (!result.issues) return { record: result.value };
  const [issue] = result.issues;
  const path = issuePath(issue);
  return {
    reason: `${path ? `"${path}": ` : ""}${issue?.message ?? "it does not fit its schema"}`,
  };
}
