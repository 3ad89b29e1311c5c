import { definePlugin } from "@gantry/plugin";
import {
  TurnCharged,
  TurnCharges,
  TurnFinished,
} from "@gantry/plugin-agents/contract";
import { ChargeCounter } from "./charges/charge-counter.ts";
import { importEarlierSums } from "./charges/import-earlier-sums.ts";
import { errors } from "./errors.ts";
import { createUsageRoute } from "./routes/usage-route.ts";
import { UsageBook } from "./sums/usage-book.ts";

export default definePlugin({
  id: "usage",
  api: 1,
  summary:
    "What agents cost: tokens and money by hour, day, agent, model and automation",
  mounts: ["/api/usage"],
  needs: { charges: TurnCharges },
  errors,
  async setup({ store, clock, log, signal, needs: { charges }, ...ctx }) {
    const host = { store, charges, log, signal };
    await importEarlierSums(host);
    const book = new UsageBook(store, log);
    const counter = new ChargeCounter({ ...host, book });
    ctx.route(createUsageRoute({ book, counter, clock }));
    ctx.on(TurnFinished, () => counter.catchUpInBackground());
    ctx.on(TurnCharged, () => counter.catchUpInBackground());
    // Charges of the time when this plugin did not run.
    counter.catchUpInBackground();
    ctx.own(() => counter.settled());
  },
});
