import { isDeepStrictEqual } from "node:util";
import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, PluginContext } from "@gantry/plugin";
import {
  AutomationChanged,
  AutomationCreated,
  AutomationDeleted,
} from "../contract.ts";
import { errors } from "../errors.ts";
import type { CheckTarget } from "../notify/target.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import { toAppointments } from "../runs/appointments.ts";
import type { Budget } from "../money/budget.ts";
import type { SpentBook } from "../money/spent.ts";
import type { Dispatcher } from "../runs/dispatcher.ts";
import { planSchedules } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";
import { newSecret, toStoredSecret } from "../webhook/new-secret.ts";
import type { NewSecret } from "../webhook/new-secret.ts";
import type { HookSecrets } from "../webhook/secret.ts";
import type {
  AutomationInput,
  AutomationView,
  CreateInput,
} from "../wire/automation.ts";
import { differsForAgent } from "./agent-aims.ts";
import type { AgentSync } from "./agent-aims.ts";
import { applyInput, defaultSettings } from "./apply-input.ts";
import { toView } from "./view.ts";

/** Dependencies of the automations. */
export interface AutomationsHost {
  aims: AgentSync;
  records: Records;
  slots: Slots;
  dispatcher: Dispatcher;
  secrets: HookSecrets;
  checkTarget: CheckTarget;
  budget: Budget;
  spent: SpentBook;
  audit: PluginContext["audit"];
  clock: Clock;
  /** Most automations that there may be. */
  limit: number;
  /** Ids of all automations that there are. */
  known: Set<string>;
  /** Ends the run that is going, and removes what the automation leaves. */
  clear(automationId: string): void;
}

/** An automation that was saved, and the secret if one was made. */
export interface Saved {
  automation: AutomationView;
  webhookSecret?: string;
}

/** Makes, changes and removes automations. What is unknown is `AUTOMATION_NOT_FOUND`. */
export interface Automations {
  list(options: {
    limit: number;
    cursor?: string;
    /** A part of the name. */
    q?: string;
  }): Promise<Page<AutomationView>>;
  get(id: string): Promise<AutomationView>;
  /** @throws `AUTOMATION_LIMIT_REACHED`, and what the agent plugin refuses: its CLI, its folder */
  create(input: CreateInput): Promise<Saved>;
  /** @throws `SCHEDULE_UNKNOWN`, `STALE_REVISION`, and what the agent plugin refuses */
  change(
    id: string,
    input: AutomationInput,
    revision: number | undefined,
  ): Promise<Saved>;
  remove(id: string, revision: number | undefined): Promise<void>;
  /** Replaces the webhook's secret. @throws `WEBHOOK_OFF` */
  renewSecret(id: string): Promise<string>;
}

/** Where the id of an automation stands whose runs are still to be removed. */
export const DELETING = "deleting:";

export function createAutomations(host: AutomationsHost): Automations {
  const { aims, records, slots, dispatcher, secrets, clock, known } = host;
  const { automations, states, lock } = records;

  /** Automations that are being created count too, so that several at once do not pass the limit. */
  let creating = 0;
  const missing = (id: string) => errors.AUTOMATION_NOT_FOUND({ id });

  const view = (automation: AutomationRecord, state: AutomationState) =>
    toView(automation, state, secrets.revokedAt(automation.secretHash));

  /** What keeps a secret from working again, whatever is restored. */
  const toRevoke = ({ secretHash }: AutomationRecord) =>
    records.marks.toRevoke(secretHash, clock.timestamp());

  /** Has to follow what {@link toRevoke} wrote. */
  function revoke({ secretHash }: AutomationRecord): void {
    if (secretHash !== null) secrets.revoke(secretHash, clock.timestamp());
  }

  /** A client that can fire an automation can run commands, so a new secret is recorded in the audit log before it is returned. */
  const tellOfSecret = (id: string) =>
    host.audit("automations.secret-made", { automation: id });

  const toSaved = (
    automation: AutomationRecord,
    state: AutomationState,
    secret: NewSecret | undefined,
  ): Saved => ({
    automation: view(automation, state),
    ...(secret && { webhookSecret: secret.text }),
  });

  async function checkNotify({ notifyUrl }: AutomationInput): Promise<void> {
    if (notifyUrl) await host.checkTarget(notifyUrl, "notifyUrl");
  }

  /** What has to follow what was written. */
  function settle(automation: AutomationRecord, state: AutomationState): void {
    secrets.set(automation.id, automation.secretHash);
    host.budget.changed(automation.id);
    dispatcher.plan(automation.id, toAppointments(automation, state));
  }

  async function create(input: CreateInput): Promise<Saved> {
    if (known.size + creating >= host.limit)
      throw errors.AUTOMATION_LIMIT_REACHED({ limit: host.limit });
    creating++;
    const id = createIdentifier("aut");
    try {
      return await createCounted(id, input);
    } catch (error) {
      await aims.settle(id);
      throw error;
    } finally {
      creating--;
    }
  }

  async function createCounted(id: string, input: CreateInput): Promise<Saved> {
    const settings = applyInput(defaultSettings, input);
    await checkNotify(input);
    await aims.checkTarget(settings);
    // Who messages an agent of the user needs none of its own.
    const agentId =
      settings.mode === "start" ? await aims.create(id, settings) : null;
    const secret = input.webhook ? newSecret(clock) : undefined;
    const before = await states.get(id);
    const marks = planSchedules(
      slots,
      settings,
      { enabled: false, schedules: [], marks: {} },
      clock.now(),
    );
    const state = { ...before, schedules: marks };
    const record = { ...settings, id, agentId, ...toStoredSecret(secret) };
    const automation = await automations.insert(record, {
      operations: [...states.toWrite(state), ...aims.toForget(id)],
      events: [AutomationCreated.of(id, { name: settings.name })],
    });
    known.add(id);
    settle(automation, state);
    if (secret) await tellOfSecret(id);
    return toSaved(automation, state, secret);
  }

  async function change(
    id: string,
    input: AutomationInput,
    revision: number | undefined,
  ): Promise<Saved> {
    await checkNotify(input);
    let secret: NewSecret | undefined;
    let revoked: AutomationRecord | undefined;
    let state = await states.get(id);
    let isAimed = false;
    const written = automations.update(
      id,
      async (current) => {
        const settings = applyInput(current, input);
        // Only if it is about that: an automation whose target is gone can still be changed.
        if (input.mode !== undefined || input.targetAgentId !== undefined)
          await aims.checkTarget(settings);
        if (input.webhook === true && current.secretHash === null)
          secret = newSecret(clock);
        const next: AutomationRecord = {
          ...current,
          ...settings,
          ...(input.webhook === false && toStoredSecret(undefined)),
          ...(secret && toStoredSecret(secret)),
        };
        if (next.agentId === null && next.mode === "start") {
          isAimed = true;
          next.agentId = await aims.create(id, next);
        } else if (next.agentId !== null && differsForAgent(current, next)) {
          isAimed = true;
          await aims.change(id, next.agentId, next, current);
        }
        if (isDeepStrictEqual(next, current)) return undefined;
        const past = { ...current, marks: state.schedules };
        const marks = planSchedules(slots, next, past, clock.now());
        state = { ...state, schedules: marks };
        // With its webhook off, the secret is permanently invalid.
        revoked = next.secretHash === null ? current : undefined;
        const { name } = next;
        const fields = Object.keys(input);
        return {
          record: next,
          operations: [
            ...states.toWrite(state),
            ...aims.toForget(id),
            ...(revoked ? toRevoke(revoked) : []),
          ],
          events: [AutomationChanged.of(id, { name, fields })],
        };
      },
      { revision },
    );
    const automation = await written.catch(async (error: unknown) => {
      if (isAimed) await aims.settle(id);
      throw error;
    });
    if (!automation) throw missing(id);
    if (revoked) revoke(revoked);
    settle(automation, state);
    if (secret) await tellOfSecret(id);
    return toSaved(automation, state, secret);
  }

  async function remove(
    id: string,
    revision: number | undefined,
  ): Promise<void> {
    const state = await states.get(id);
    const current = await automations.get(id);
    if (!current) throw missing(id);
    const { name, agentId } = current;
    const removed = await automations.remove(id, {
      revision,
      operations: [
        ...states.toRemove(state),
        ...toRevoke(current),
        { type: "set", key: DELETING + id, value: {} },
        ...(state.activeRunId === null
          ? []
          : [
              ...records.queued.toRemove(state.activeRunId),
              ...host.spent.toOwe(state.activeRunId),
            ]),
        // The agent stays; a note would have the next start remove it.
        ...aims.toForget(id),
      ],
      events: [AutomationDeleted.of(id, { name, agentId })],
    });
    if (!removed) throw missing(id);
    known.delete(id);
    revoke(current);
    secrets.set(id, null);
    host.budget.changed(id);
    dispatcher.plan(id, []);
    host.clear(id);
  }

  async function renewSecret(id: string): Promise<string> {
    const secret = newSecret(clock);
    let former: AutomationRecord | undefined;
    const changed = await automations.update(id, (current) => {
      if (current.secretHash === null) throw errors.WEBHOOK_OFF();
      former = current;
      const fields = ["webhookSecret"];
      return {
        record: { ...current, ...toStoredSecret(secret) },
        operations: toRevoke(current),
        events: [AutomationChanged.of(id, { name: current.name, fields })],
      };
    });
    if (!changed) throw missing(id);
    if (former) revoke(former);
    secrets.set(id, changed.secretHash);
    await tellOfSecret(id);
    return secret.text;
  }

  return {
    create,
    change: (id, ...rest) => lock.run(id, () => change(id, ...rest)),
    remove: (id, revision) => lock.run(id, () => remove(id, revision)),
    renewSecret: (id) => lock.run(id, () => renewSecret(id)),
    async list({ q, ...options }) {
      const text = q?.toLowerCase();
      const page = await automations.list({
        ...options,
        ...(text && {
          filter: ({ name }) => name.toLowerCase().includes(text),
        }),
      });
      const items = page.items.map(async (automation) =>
        view(automation, await states.get(automation.id)),
      );
      return { ...page, items: await Promise.all(items) };
    },
    async get(id) {
      const automation = await automations.get(id);
      if (!automation) throw missing(id);
      return view(automation, await states.get(id));
    },
  };
}
