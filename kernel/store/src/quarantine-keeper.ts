import { keyPart } from "@gantry/plugin";
import type { StoredRecord, StoreOperation } from "@gantry/plugin";
import type { Engine } from "./engine.ts";
import type { QuarantineKeeper } from "./quarantine.ts";
import { openRecord } from "./record-layout.ts";
import type { RecordLayout } from "./record-layout.ts";

/** Makes what a collection does for its records in quarantine. */
export const createKeeper = <Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  engine: Engine,
): QuarantineKeeper => ({
  version: layout.definition.version,
  async toRestore(value) {
    const opened = await openRecord(layout.definition, value);
    if (opened.kind === "too-new")
      return {
        reason: `it was written by a later version (${opened.version})`,
      };
    if (opened.kind === "unfit") return opened;
    const { record, unknown } = opened;
    const operations: StoreOperation[] = [];
    for (const operation of layout.toWrite(record, undefined, unknown)) {
      // That no record has a unique value is no condition for the one that has it already.
      const isOwnClaim =
        operation.type === "absent" &&
        (await engine.get(operation.key + keyPart(record.id))) !== undefined;
      if (!isOwnClaim) operations.push(operation);
    }
    return operations;
  },
  async toForget(recordKey) {
    const entries = await findEntries(layout, engine, recordKey);
    return entries.map((key) => ({ type: "remove", key }));
  },
});

/** Keys of all index entries of a record, also of one that cannot be read. */
export async function findEntries<Record extends StoredRecord>(
  { prefix }: RecordLayout<Record>,
  engine: Engine,
  recordKey: string,
): Promise<string[]> {
  const id = recordKey.slice(recordKey.lastIndexOf(":"));
  const entries = await engine.keys(`${prefix}~`);
  return entries.filter((key) => key.endsWith(id));
}
