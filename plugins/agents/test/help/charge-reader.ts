import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import { TurnCharges, type TurnCharge } from "../../src/contract.ts";

const never = new AbortController().signal;

/** Reads the charges of turns, which stay pending since it acknowledges none. */
export class ChargeReader {
  readonly plugin: PluginDefinition;
  #charges: TurnCharges | undefined;

  constructor() {
    this.plugin = definePlugin({
      id: "charge-reader",
      api: 1,
      summary: "Reads charges",
      mounts: [],
      needs: { charges: TurnCharges },
      setup: ({ needs }) => void (this.#charges = needs.charges),
    });
  }

  /** All charges, or those of one agent; at most 500. */
  async read(agentId?: string): Promise<TurnCharge[]> {
    const { items } = await this.#charges!.pending({ limit: 500 }, never);
    return items.filter(
      (each) => agentId === undefined || each.agentId === agentId,
    );
  }
}
