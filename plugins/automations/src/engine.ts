import { homedir } from "node:os";
import type { PluginContext } from "@gantry/plugin";
import { TurnCharged } from "@gantry/plugin-agents/contract";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import { createApart } from "./apart.ts";
import type { Apart } from "./apart.ts";
import { createAgentSync } from "./automations/agent-aims.ts";
import { createAutomations } from "./automations/automations.ts";
import type { Automations } from "./automations/automations.ts";
import { findLeftovers, removeLeftovers } from "./automations/leftovers.ts";
import { loadAutomations } from "./automations/load.ts";
import type { AutomationsConfig } from "./config.ts";
import type { AutomationActivity } from "./contract.ts";
import { createDrafts } from "./drafts/drafts.ts";
import type { Drafts } from "./drafts/drafts.ts";
import { createBudget } from "./money/budget.ts";
import type { Budget } from "./money/budget.ts";
import { createCosts } from "./money/costs.ts";
import { openSpending } from "./money/spending.ts";
import type { Spending } from "./money/spending.ts";
import { openSpentBook } from "./money/spent.ts";
import { createOutbox } from "./notify/outbox.ts";
import { createSend } from "./notify/send.ts";
import type { Send } from "./notify/send.ts";
import { createTargetCheck } from "./notify/target.ts";
import type { CheckTarget } from "./notify/target.ts";
import { removeOld } from "./records/remove-old.ts";
import { openRecords } from "./records/records.ts";
import type { Records } from "./records/records.ts";
import { createRetry } from "./retry.ts";
import { createActivity } from "./runs/activity.ts";
import { toAppointments } from "./runs/appointments.ts";
import { createAttempts } from "./runs/attempts.ts";
import type { Attempts } from "./runs/attempts.ts";
import { createDispatcher } from "./runs/dispatcher.ts";
import { createExecutor } from "./runs/executor.ts";
import { createFire } from "./runs/firing.ts";
import { recoverRuns } from "./runs/recovery.ts";
import { createRunBook } from "./runs/run-book.ts";
import { findOverdue } from "./schedule/find-overdue.ts";
import { createScheduler, MAX_CATCH_UPS } from "./schedule/scheduler.ts";
import { createSlots } from "./schedule/slots.ts";
import type { Slots } from "./schedule/slots.ts";
import { createCallBook } from "./webhook/call-book.ts";
import type { CallBook } from "./webhook/call-book.ts";
import { createRefusals } from "./webhook/refusals.ts";
import type { Refusals } from "./webhook/refusals.ts";
import { createHookSecrets } from "./webhook/secret.ts";
import type { HookSecrets } from "./webhook/secret.ts";

/** The parts that routes use. */
export interface Engine {
  automations: Automations;
  attempts: Attempts;
  records: Records;
  slots: Slots;
  secrets: HookSecrets;
  calls: CallBook;
  refusals: Refusals;
  apart: Apart;
  send: Send;
  checkTarget: CheckTarget;
  spending: Spending;
  budget: Budget;
  drafts: Drafts;
  activity: AutomationActivity;
  isKnown(automationId: string): boolean;
  /** Lets queued runs begin and schedules fire from now on. */
  begin(): void;
}

/** When what is too old is removed, at a time at which little else is. */
const SWEEP = "23 3 * * *";

type Context = PluginContext<AutomationsConfig, { agents: typeof AgentRuns }>;

/** Puts the parts together, and ends what the last daemon left. */
export async function startEngine(ctx: Context): Promise<Engine> {
  const { clock, log, signal, config } = ctx;
  const { agents } = ctx.needs;
  const records = openRecords(ctx.store, clock);
  const slots = createSlots();
  const secrets = createHookSecrets(await records.marks.readRevoked());
  const { concurrentRuns: limit, runsKept, runDays, callsKept } = config.limits;
  const send = createSend(ctx.fetch);
  const checkTarget = createTargetCheck(ctx.fetch);
  const outbox = createOutbox({ ...ctx, records, send });
  ctx.own(() => outbox.settled());
  const spent = await openSpentBook(ctx.store, clock);
  const spending = await openSpending(ctx.store, spent);
  const costs = createCosts({ agents, records, spent, signal });
  const book = createRunBook(records, clock, runsKept, outbox, spent);
  const retry = createRetry(ctx);
  const executor = createExecutor({
    ...{ agents, book, clock, log, signal, limit, retry, costs },
  });
  ctx.own(() => executor.settled());
  const apart = createApart();
  const drafts = createDrafts({
    ...ctx,
    agents,
    records,
    spending,
    spent,
    apart,
    emit: (...events) => ctx.emit(...events),
    userFolder: homedir(),
    limits: config.limits,
  });
  ctx.own(() => drafts.settled());
  const calls = createCallBook(records, clock, callsKept, apart);
  const refusals = createRefusals(calls, clock, log);
  ctx.own(async () => {
    await refusals.flush();
    await calls.settled();
  });
  const attempts = createAttempts({
    agents,
    apart,
    records,
    book,
    executor,
    spending,
    slots,
    clock,
    log,
    signal,
    isMissed: (dueAt) => dispatcher.isMissed(dueAt),
  });
  const start = { wall: clock.now(), monotonic: clock.monotonic() };
  // One place at least is left to what is on time, where there are two.
  const maxCatchUps = Math.min(MAX_CATCH_UPS, Math.max(1, limit - 1));
  const scheduler = createScheduler(slots, start, maxCatchUps);
  const known = new Set<string>();
  const budget = createBudget(records, spending, known);

  const dispatcher = createDispatcher(scheduler, clock, {
    fire: (firing) => background("Firing failed", () => fire(firing)),
    replan: () =>
      background("Planning failed", () =>
        retry(() => load(), { message: "Schedules could not be planned" }),
      ),
  });
  ctx.own(() => dispatcher.stop());
  const fire = createFire({ attempts, executor, dispatcher, records, retry });

  const aims = createAgentSync({ agents, records, log, signal, apart });
  const automations = createAutomations({
    aims,
    records,
    slots,
    dispatcher,
    secrets,
    checkTarget,
    budget,
    spent,
    audit: ctx.audit,
    clock,
    limit: config.limits.automations,
    known,
    clear(id) {
      executor.cancel(id);
      clear(id);
    },
  });

  /** Runs work that no caller waits for, and logs its failure unless the plugin stops. */
  function background(failure: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!signal.aborted) log.error(failure, {}, error);
    });
  }

  /** Removes what a deleted automation leaves. */
  function clear(id: string): void {
    const message = "Runs of a deleted automation could not be removed";
    background(message, () =>
      retry(() => removeLeftovers(records, id, signal), { message }),
    );
  }

  async function load(resumed?: ReadonlySet<string>): Promise<void> {
    await loadAutomations(
      { records, slots, clock, log },
      resumed,
      (automation, state) => {
        known.add(automation.id);
        secrets.set(automation.id, automation.secretHash);
        scheduler.plan(automation.id, toAppointments(automation, state));
      },
    );
  }

  const sweep = async () => {
    await removeOld({ records, clock, signal, runDays });
    await spent.forget();
    await records.admissions.forget(clock.now());
    await records.marks.forget();
  };
  ctx.cron(SWEEP, sweep, { timezone: "UTC" });
  ctx.on(TurnCharged, (event) => costs.charged(event), {
    durable: "late-charges",
  });
  ctx.diagnose(() => findOverdue(records, clock, known));

  for (const id of await findLeftovers(records)) clear(id);
  await aims.settleAll();
  await drafts.clearAway();
  // Before any run of this daemon ends, so that what is on its way now is told from what it adds.
  await outbox.resume();
  const { queued, endOthers } = await recoverRuns({
    ...{ records, book, spending, costs },
  });
  await costs.settleOwed();
  await load(new Set(queued.map(({ run }) => run.id)));
  const message = "Runs that a restart cut off could not be ended";
  background(message, () => retry(endOthers, { message }));
  background("Old records were not removed", sweep);
  return {
    automations,
    attempts,
    records,
    slots,
    secrets,
    calls,
    refusals,
    apart,
    send,
    checkTarget,
    spending,
    budget,
    drafts,
    activity: createActivity(book, records),
    isKnown: (id) => known.has(id),
    begin() {
      for (const job of queued) executor.reserve().launch(job);
      dispatcher.start();
    },
  };
}
