import { createIdentifier, NoticeRaised } from "@gantry/plugin";
import type { Log } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import type { StoreCore } from "./store-core.ts";

/** Where records in quarantine are in the store. */
export const QUARANTINE_PREFIX = "kernel:quarantine:";

/** Takes a record that cannot be read out of the way: kept whole, never served, and the user is told. */
export async function quarantine(
  { core, log }: { core: StoreCore; log: Log },
  record: { key: string; value: unknown; owner: string; reason: string },
): Promise<void> {
  const id = createIdentifier("qua");
  log.warn("Record put in quarantine", {
    key: record.key,
    reason: record.reason,
  });
  const notice = NoticeRaised.of(id, {
    title: `A record of "${record.owner}" could not be read`,
    body: `It was set aside unchanged and everything else goes on. Key: \`${record.key}\`. What is wrong: ${record.reason}`,
    severity: "error",
  });
  // Work of the kernel's own: what the reader's work carries belongs to the first write of that work, not to this one.
  await runInContext({ plugin: "kernel" }, () =>
    core.commit(
      "kernel",
      [
        { type: "set", key: QUARANTINE_PREFIX + id, value: record },
        { type: "remove", key: record.key },
      ],
      [notice],
    ),
  );
}
