import { createIdentifier, definePlugin, NoticeRaised } from "@gantry/plugin";
import type { NewEvent, PluginContext, PluginDefinition } from "@gantry/plugin";
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
import type {
  FailedNotification,
  FinishedRun,
} from "@gantry/plugin-automations/contract";

type RunData = FinishedRun;
type DialogData = NonNullable<(typeof DialogOpened)["~data"]>;
type BlockedData = NonNullable<(typeof TurnBlocked)["~data"]>;
type UnaskedData = NonNullable<(typeof UnaskedTurnFinished)["~data"]>;
type CutOffData = NonNullable<(typeof TurnCutOff)["~data"]>;

/** Stands in for the plugins whose events the Inbox shows. */
export interface Sources {
  plugin: PluginDefinition;
  emit(...events: NewEvent[]): Promise<void>;
}

/** Makes a plugin that emits what a test says. */
export function createSources(): Sources {
  let current: PluginContext | undefined;
  return {
    plugin: definePlugin({
      id: "sources",
      api: 1,
      summary: "Emits what the test says",
      mounts: [],
      events: [
        RunFinished,
        NotifyFailed,
        DialogOpened,
        DialogClosed,
        AgentDeleted,
        TurnBlocked,
        TurnCutOff,
        TurnResumed,
        UnaskedTurnFinished,
      ],
      setup(ctx) {
        current = ctx as PluginContext;
      },
    }),
    async emit(...events) {
      await current?.emit(...events);
    },
  };
}

export const automationId = "aut_aaaaaaaaaaaaaaaaaaaaaaaa";
export const agentId = "agt_bbbbbbbbbbbbbbbbbbbbbbbb";

/** The event of a run that ended; done unless said. */
export function runFinished(data: Partial<RunData> = {}): NewEvent<RunData> {
  const run: RunData = {
    automationId,
    automationName: "Nightly tests",
    result: "done",
    reason: null,
    trigger: "schedule",
    scheduleLabel: "Every night",
    costUsd: 0.12,
    message: "All **12** tests pass.",
    agentId,
    sessionId: "session-1",
    ...data,
    runId: data.runId ?? createIdentifier("run"),
  };
  return RunFinished.of(run.automationId, run);
}

/** The event of a notification that did not arrive. */
export function notifyFailed(
  data: Partial<FailedNotification> = {},
): NewEvent<FailedNotification> {
  return NotifyFailed.of(automationId, {
    automationId,
    automationName: "Nightly tests",
    runId: createIdentifier("run"),
    target: "hooks.example.org",
    tries: 2,
    code: "timeout",
    error: "It did not answer in 10 s.",
    ...data,
  });
}

/** The event of a dialog that opened; a permission request unless said. */
export function dialogOpened(
  data: Partial<DialogData> = {},
): NewEvent<DialogData> {
  return DialogOpened.of(data.agentId ?? agentId, {
    id: createIdentifier("dlg"),
    agentId,
    agentName: "Ada",
    kind: "permission",
    title: "Run a command",
    body: "rm -rf build",
    options: [
      { id: "yes", label: "Allow once", kind: "allow" },
      { id: "no", label: "Reject", kind: "reject" },
    ],
    takesText: false,
    ...data,
  });
}

/** The event of a dialog that closed. */
export function dialogClosed(dialogId: string, answer: string | null = null) {
  return DialogClosed.of(agentId, { dialogId, answer });
}

/** The event of a turn that was cut off; of no run unless said. */
export function turnCutOff(
  data: Partial<CutOffData> = {},
  agent = agentId,
): NewEvent<CutOffData> {
  return TurnCutOff.of(agent, {
    turnId: createIdentifier("trn"),
    runId: null,
    agentName: "Ada",
    prompt: "Fix the tests.",
    ...data,
  });
}

/** The event of a turn that failed for a reason that the user can do something about. */
export function turnBlocked(
  data: Partial<BlockedData> = {},
): NewEvent<BlockedData> {
  return TurnBlocked.of(agentId, {
    turnId: createIdentifier("trn"),
    runId: null,
    agentName: "Ada",
    cli: "claude",
    kind: "usage-limit",
    resetsAt: null,
    message: "You have hit your limit.",
    ...data,
  });
}

/** The event of a turn that an agent began by itself. */
export function unaskedTurn(
  data: Partial<UnaskedData> = {},
): NewEvent<UnaskedData> {
  return UnaskedTurnFinished.of(agentId, {
    turnId: createIdentifier("trn"),
    agentName: "Ada",
    answer: "All tests pass.",
    error: null,
    ...data,
  });
}

/** The event of a conversation that continued after a turn was cut off. */
export function turnResumed(turnId: string, agent = agentId) {
  return TurnResumed.of(agent, { turnId });
}

/** The event of an agent that was deleted. */
export function agentDeleted(id = agentId) {
  return AgentDeleted.of(id, { name: "Ada" });
}

export { NoticeRaised };
