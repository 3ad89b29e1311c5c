import { NoticeRaised, type PluginContext } from "@gantry/plugin";
import {
  AgentDeleted,
  DialogClosed,
  DialogOpened,
  TurnBlocked,
  TurnCutOff,
  TurnResumed,
  UnaskedTurnFinished,
} from "@gantry/plugin-agents/contract";
import { NotifyFailed, RunFinished } from "@gantry/plugin-automations/contract";
import type { Intake } from "../items/intake.ts";
import type { Items } from "../items/items.ts";
import type { Serial } from "../items/serial.ts";
import { createBlockedListener, createUnaskedListener } from "./agent-turns.ts";
import { createCutOffItems } from "./cut-off-turns.ts";
import { createDeletedAgents } from "./deleted-agents.ts";
import { createDialogItems } from "./dialogs.ts";
import { createNotificationListener } from "./failed-notifications.ts";
import { createRunListener } from "./finished-runs.ts";
import { createMarkers } from "./markers.ts";
import { createNoticeListener } from "./notices.ts";

/** Where items go. */
export interface SourcesHost {
  items: Items;
  intake: Intake;
  serial: Serial;
}

/**
 * Makes items of the events of other plugins and of the kernel, with one durable listener each. First finishes what a
 * crash interrupted.
 */
export async function listenToSources(
  { store, clock, on }: Pick<PluginContext, "store" | "clock" | "on">,
  host: SourcesHost,
): Promise<{ pruneMarkers(): Promise<void> }> {
  const { intake } = host;
  const closed = createMarkers(store, clock, "closed-dialog");
  const gone = createMarkers(store, clock, "deleted-agent");
  const resumed = createMarkers(store, clock, "resumed-turn");
  const cutRuns = createMarkers(store, clock, "cut-off-run");
  const dialogs = createDialogItems({ ...host, gone, closed });
  const cutOffs = createCutOffItems({ ...host, gone, resumed, cutRuns });
  const deleted = createDeletedAgents({ ...host, gone });
  await deleted.resume();

  on(RunFinished, createRunListener(intake, cutOffs.ofRun), {
    durable: "runs",
  });
  on(NotifyFailed, createNotificationListener(intake), {
    durable: "notifications",
  });
  on(NoticeRaised, createNoticeListener(intake), { durable: "notices" });
  on(DialogOpened, dialogs.opened, { durable: "dialogs-opened" });
  on(DialogClosed, dialogs.closed, { durable: "dialogs-closed" });
  on(TurnCutOff, cutOffs.cutOff, { durable: "turns-cut-off" });
  on(TurnResumed, cutOffs.resumed, { durable: "turns-resumed" });
  on(UnaskedTurnFinished, createUnaskedListener(intake), {
    durable: "unasked-turns",
  });
  on(TurnBlocked, createBlockedListener(intake), { durable: "blocked-turns" });
  on(AgentDeleted, deleted.agentDeleted, { durable: "agents-deleted" });

  const kinds = [closed, gone, resumed, cutRuns];
  return {
    pruneMarkers: async () =>
      void (await Promise.all(kinds.map((markers) => markers.prune()))),
  };
}
