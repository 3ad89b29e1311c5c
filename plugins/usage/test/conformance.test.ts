import { TurnCharges } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import usage from "../src/index.ts";

testPluginConformance(() => usage, {
  beside: () => [
    provideFake(TurnCharges, {
      pending: async () => ({ items: [] }),
      acknowledge: async () => {},
      listEarlierSums: async () => ({ items: [], nextCursor: null }),
    }),
  ],
  openPath: "/api/usage",
});
