import { isGantryError } from "@gantry/plugin";
import type { Clock, Disposer, PluginContext } from "@gantry/plugin";
import type { Apart } from "../apart.ts";
import { errors } from "../errors.ts";
import type { Attempts } from "../runs/attempts.ts";
import type { RunRecord } from "../wire/run.ts";
import { createHookGuard } from "./authorize.ts";
import type { CallBook } from "./call-book.ts";
import type { HookHead } from "./hook-head.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import type { HookSecrets } from "./secret.ts";
import { createSkipBudget } from "./skip-budget.ts";
import { createWrongTries } from "./wrong-tries.ts";

/** Dependencies of {@link createWebhook}. */
export interface WebhookHost {
  attempts: Attempts;
  calls: CallBook;
  refusals: Refusals;
  secrets: HookSecrets;
  clock: Clock;
  audit: PluginContext["audit"];
  apart: Apart;
  isKnown(automationId: string): boolean;
}

/** The one route without a session: authorizes calls, starts their runs, and lists each call. */
export interface Webhook {
  /** Lets a call with the right secret pass, before its body is read. */
  authorize(head: HookHead): void;
  fire(request: HookHead & { body: Uint8Array }): Promise<RunRecord>;
}

/** A body takes at most 10 s; what has no handler by then never gets one. */
const UNREAD_MS = 30_000;
/** Until the gates are asked again about calls that are too fast. */
const ASK_AGAIN_MS = 250;
/** Calls between their head and their body. */
const MAX_UNREAD = 5_000;

interface Unread extends Refusal {
  at: number;
}

export function createWebhook(host: WebhookHost): Webhook {
  const { attempts, calls, refusals, clock, apart } = host;
  const skips = createSkipBudget(clock);
  const guard = createHookGuard(
    host.secrets,
    createWrongTries(clock, host.isKnown),
    ({ params, remoteAddress: address }) =>
      void host.audit(
        "automations.hook-refused",
        { automation: params.id, address },
        { summed: true },
      ),
  );
  const unread = new Map<string, Unread>();
  /** When a call was turned away as too fast after its gates were asked, by automation. */
  const turnedAway = new Map<string, number>();
  let cancel: Disposer | undefined;

  /** Lists calls whose body was not taken, or that were answered with what is kept for their key. */
  function listUnread(): void {
    cancel = undefined;
    const now = clock.monotonic();
    for (const [requestId, { at, ...refusal }] of unread) {
      if (now - at < UNREAD_MS) continue;
      unread.delete(requestId);
      refusals.add(refusal);
    }
    arm();
  }

  function arm(): void {
    if (unread.size > 0) cancel ??= clock.after(UNREAD_MS, listUnread);
  }

  function refuse(automationId: string, address: string, error: unknown): void {
    // An id that does not exist has no list.
    if (!host.isKnown(automationId) || !isGantryError(error)) return;
    const { code } = error;
    refusals.add({ automationId, verdict: "refused", code, address });
  }

  return {
    authorize(head) {
      const automationId = head.params.id;
      const { remoteAddress: address, requestId } = head;
      try {
        guard(head);
      } catch (error) {
        refuse(automationId, address, error);
        throw error;
      }
      if (unread.size >= MAX_UNREAD) return;
      const at = clock.monotonic();
      unread.set(requestId, {
        automationId,
        address,
        at,
        ...describeUnread(head),
      });
      arm();
    },

    async fire({ params, body, requestId, remoteAddress: address }) {
      const automationId = params.id;
      unread.delete(requestId);
      const call = { automationId, address, bytes: body.length };
      const seconds = skips.wait(automationId);
      const since =
        clock.monotonic() - (turnedAway.get(automationId) ?? -Infinity);
      try {
        // In a storm the gates are asked once in a while only; they would say the same.
        if (seconds !== undefined && since < ASK_AGAIN_MS)
          throw errors.WEBHOOK_TOO_MANY_CALLS({}, { retryAfter: seconds });
        const run = await attempts.attempt({
          automationId,
          trigger: "webhook",
          payload: body,
          beforeSkip() {
            const retryAfter = skips.take(automationId);
            if (retryAfter === undefined) return;
            turnedAway.set(automationId, clock.monotonic());
            throw errors.WEBHOOK_TOO_MANY_CALLS({}, { retryAfter });
          },
          toLedger: ({ id: runId, result, reason }) =>
            calls.toAdd({
              ...call,
              verdict: result === "running" ? "accepted" : "skipped",
              code: reason,
              runId,
              payload: body,
            }),
        });
        if (!run) throw new Error("Only a schedule may have nothing to run.");
        return run;
      } catch (error) {
        if (isGantryError(error) && error.code === "WEBHOOK_TOO_MANY_CALLS") {
          const { code } = error;
          const facts = {
            ...call,
            verdict: "limited",
            code,
            runId: null,
          } as const;
          // The call has no effect that a key could replay. It is listed durably before it is answered.
          await apart(() => calls.note(facts));
        } else refuse(automationId, address, error);
        throw error;
      }
    },
  };
}

/** What is said of a call that passed the guard and never came to its handler. */
function describeUnread(head: HookHead): Pick<Refusal, "verdict" | "code"> {
  if (head.method !== "POST")
    return { verdict: "refused", code: "METHOD_NOT_ALLOWED" };
  const hasKey = ["idempotency-key", "x-github-delivery"].some(
    (name) => head.header(name) !== undefined,
  );
  return hasKey
    ? { verdict: "repeated", code: null }
    : { verdict: "refused", code: "BODY_REFUSED" };
}
