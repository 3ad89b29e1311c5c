import { expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { createEventLog } from "@gantry/store/events/event-log";
import { createStoreCore } from "@gantry/store/store-core";
import type { Engine } from "@gantry/store/engine";
import { openTestStore } from "./support/store.ts";

const change: StoreOperation = { type: "set", key: "a:thing", value: { n: 1 } };
const told = { type: "a.changed", subject: "thing", data: {} };

test("whichever write of the storage fails, there is no change without its event and no event without its change", async () => {
  for (let failing = 1; ; failing++) {
    const { engine, clock } = await openTestStore();
    let writes = 0;
    const faulty: Engine = {
      ...engine,
      async commit(...batch) {
        if (++writes === failing) throw new Error("The disk is gone.");
        return engine.commit(...batch);
      },
    };
    const core = await createStoreCore(faulty, clock);
    const failed = await core.commit("a", [change], [told]).then(
      () => false,
      () => true,
    );
    const events = await createEventLog(core, clock).read(0, 10, 10);
    const record = await engine.get("a:thing");
    expect({ record, events: events.length }).toEqual(
      failed
        ? { record: undefined, events: 0 }
        : { record: { n: 1 }, events: 1 },
    );
    if (!failed) break;
  }
});
