import type {
  CollectionDefinition,
  Schema,
  StoredRecord,
} from "@gantry/plugin";
import { issuePath } from "@gantry/system/issue-path";
import type { SchemaIssue } from "@gantry/system/issue-path";
import { Unreadable } from "./engine.ts";

type StandardResult<Output> = Awaited<
  ReturnType<Schema<Output>["~standard"]["validate"]>
>;

/** How a record lies in the store: with the version of the schema that wrote it. */
interface Envelope {
  v: number;
  data: unknown;
}

/** A stored value, read as a record. */
export type Opened<Record> =
  | {
      kind: "record";
      record: Record;
      /** Members that the schema does not know, such as those that a later version of the same schema has added. */
      unknown: object;
    }
  /** Written by a later version of the plugin, which is to find it unchanged. */
  | { kind: "too-new"; version: number }
  /** It does not fit. */
  | { kind: "unfit"; reason: string };

/** Wraps a record for the store. */
export function sealEnvelope(version: number, data: object): Envelope {
  return { v: version, data };
}

/** Reads a record back: lifted to the current version and checked. Waits only for a schema that does. */
export function openEnvelope<Record extends StoredRecord>(
  definition: CollectionDefinition<Record>,
  value: object,
): Opened<Record> | Promise<Opened<Record>> {
  if (value instanceof Unreadable) return unfit("it is not JSON");
  const { v, data } = value as Partial<Envelope>;
  if (typeof v !== "number" || typeof data !== "object" || data === null)
    return unfit("it is not a record of this store");
  if (v > definition.version) return { kind: "too-new", version: v };
  if (v < definition.version && !definition.migrate)
    return unfit(`version ${v} is no longer known`);
  let current: unknown = data;
  try {
    if (v < definition.version) current = definition.migrate?.(data, v);
  } catch (error) {
    return unfit(`version ${v} could not be migrated: ${String(error)}`);
  }
  const isCurrent = v === definition.version;
  const judge = (result: StandardResult<Record>): Opened<Record> => {
    if (result.issues) return unfit(describeIssue(result.issues[0]));
    const record = result.value;
    return {
      kind: "record",
      record,
      unknown: isCurrent ? membersBeside(data, record) : {},
    };
  };
  const result = definition.schema["~standard"].validate(current);
  return result instanceof Promise ? result.then(judge) : judge(result);
}

/**
 * Makes sure that a record will be read back. One with a schema that takes its time is taken on trust.
 *
 * @throws TypeError that names the member; it is a mistake of the plugin
 */
export function checkRecord<Record extends StoredRecord>(
  { name, schema }: CollectionDefinition<Record>,
  record: Record,
): void {
  const result = schema["~standard"].validate(record);
  if (result instanceof Promise) result.catch(() => {});
  else if (result.issues)
    throw new TypeError(
      `A record of "${name}" does not fit its schema: ${describeIssue(result.issues[0])}.`,
    );
}

const unfit = (reason: string) => ({ kind: "unfit", reason }) as const;

function describeIssue(issue: SchemaIssue | undefined): string {
  const path = issuePath(issue);
  return `${path ? `"${path}": ` : ""}${issue?.message ?? "it does not fit its schema"}`;
}

/** What an object has that another lacks. */
function membersBeside(data: object, record: object): object {
  let beside: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(data))
    if (!Object.hasOwn(record, name)) (beside ??= {})[name] = value;
  return beside ?? NOTHING;
}

const NOTHING = Object.freeze({});
