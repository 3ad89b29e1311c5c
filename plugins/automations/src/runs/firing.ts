import { createPlaces } from "../places.ts";
import type { Records } from "../records/records.ts";
import type { Retry } from "../retry.ts";
import type { Firing } from "../schedule/scheduler.ts";
import type { Attempts } from "./attempts.ts";
import { toAppointments } from "./appointments.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Executor } from "./executor.ts";

/** Dependencies of {@link createFire}. */
export interface FireHost {
  attempts: Attempts;
  executor: Executor;
  dispatcher: Dispatcher;
  records: Records;
  retry: Retry;
}

/** Schedules that are tried at once; each asks for its agent and writes its run. */
const MAX_CONCURRENT_FIRINGS = 16;

/**
 * Creates what carries out a firing: tries to run its automation, and plans the schedule again. Neither gives up before
 * the plugin stops, since a schedule that is not planned again never fires again.
 */
export function createFire(host: FireHost): (firing: Firing) => Promise<void> {
  const { attempts, executor, dispatcher, records, retry } = host;
  const places = createPlaces(MAX_CONCURRENT_FIRINGS);

  async function plan(automationId: string): Promise<void> {
    await records.lock.run(automationId, async () => {
      const automation = await records.automations.get(automationId);
      if (!automation) return;
      const state = await records.states.get(automationId);
      dispatcher.plan(automationId, toAppointments(automation, state));
    });
  }

  return async ({ automationId, ...firing }) => {
    const fields = { automationId };
    let isCatchUp = firing.trigger === "catch-up";
    const run = await retry(
      async () => {
        try {
          return await places.take(() =>
            attempts.attempt({ automationId, ...firing }),
          );
        } catch (error) {
          // One that keeps failing must not hold up the catch-ups of others.
          if (isCatchUp) dispatcher.madeUp();
          isCatchUp = false;
          throw error;
        }
      },
      { message: "A schedule could not fire", fields },
    );
    if (isCatchUp)
      void executor.ended(run?.id ?? "").then(() => dispatcher.madeUp());
    await retry(() => plan(automationId), {
      message: "A schedule could not be planned",
      fields,
    });
  };
}
