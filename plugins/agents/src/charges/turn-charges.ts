import type { Store } from "@gantry/plugin";
import type { TurnCharges } from "../contract.ts";
import type { Records } from "../records/records.ts";
import type { ChargeRecord } from "./charge-record.ts";

/** Key prefix of the sums that earlier versions of this plugin kept by UTC day and agent. */
export const EARLIER_SUMS_PREFIX = "usage-sum:";
const PAGE_SIZE = 500;

/** Creates the service from which the plugin that keeps sums reads charges. */
export function createTurnCharges(
  { charges, batch }: Pick<Records, "charges" | "batch">,
  store: Store,
): TurnCharges {
  return {
    async pending({ limit }) {
      const { items } = await charges.list({ limit, order: "ascending" });
      return { items: items.map(toCharge) };
    },

    async acknowledge({ ids }) {
      const records = await Promise.all(ids.map((id) => charges.get(id)));
      const operations = records.flatMap((record) =>
        record ? charges.toRemove(record) : [],
      );
      if (operations.length > 0) await batch(operations);
    },

    async listEarlierSums({ cursor }) {
      const page = await store.list<object>(EARLIER_SUMS_PREFIX, {
        limit: PAGE_SIZE,
        cursor,
      });
      const items = page.items.flatMap(({ key, value }) => {
        const [day, agentId] = key.slice(EARLIER_SUMS_PREFIX.length).split(":");
        return day && agentId ? [{ day, agentId, sums: value }] : [];
      });
      return { items, nextCursor: page.nextCursor };
    },
  };
}

function toCharge({
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  revision: _revision,
  ...charge
}: ChargeRecord) {
  return charge;
}
