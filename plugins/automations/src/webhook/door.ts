import { isGantryError } from "@gantry/plugin";
import type { Clock, PluginContext, RequestHead } from "@gantry/plugin";
import type { Apart } from "../apart.ts";
import { errors } from "../errors.ts";
import type { Attempts } from "../runs/attempts.ts";
import type { Presented } from "../wire/call.ts";
import type { RunRecord } from "../wire/run.ts";
import { createHookGuard } from "./authorize.ts";
import type { CallBook } from "./call-book.ts";
import { presentedBy } from "./call-help.ts";
import type { Refusals } from "./refusals.ts";
import type { HookSecrets } from "./secret.ts";
import { createSkipBudget } from "./skip-budget.ts";
import { createWrongTries } from "./wrong-tries.ts";

/** Dependencies of the door. */
export interface HookDoorHost {
  attempts: Attempts;
  calls: CallBook;
  refusals: Refusals;
  secrets: HookSecrets;
  clock: Clock;
  audit: PluginContext["audit"];
  apart: Apart;
  isKnown(automationId: string): boolean;
}

/** The one way in without a session: who may pass, what a call sets off, and that each is listed. */
export interface HookDoor {
  /** Lets a call with the right secret pass, before its body is read. */
  authorize(head: RequestHead): void;
  /** Lists a call that `authorize` let pass, if it never came to `fire`: it was refused before, or answered by its key. */
  settled(head: RequestHead, error: unknown): void;
  fire(request: RequestHead & { body: Uint8Array }): Promise<RunRecord>;
}

/** Until the gates are asked again about calls that are too fast. */
const ASK_AGAIN_MS = 250;
export function createHookDoor(host: HookDoorHost): HookDoor {
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
  /** Calls that passed the guard and have not come to their handler. */
  const unhandled = new Set<string>();
  /** When a call was turned away as too fast after its gates were asked, by automation. */
  const turnedAway = new Map<string, number>();

  function present(head: RequestHead): Presented {
    const presented = presentedBy(head);
    return presented === "secret" && host.secrets.needsNew(head.params.id ?? "")
      ? "secret-while-revoked"
      : presented;
  }

  function refuse(
    head: RequestHead,
    error: unknown,
    presented?: Presented,
  ): void {
    const automationId = head.params.id ?? "";
    // An id that does not exist has no list.
    if (!host.isKnown(automationId) || !isGantryError(error)) return;
    const { code } = error;
    const { remoteAddress: address } = head;
    refusals.add({
      ...{ automationId, verdict: "refused", code, address },
      ...(presented && { presented }),
    });
  }

  return {
    authorize(head) {
      try {
        guard(head);
      } catch (error) {
        const isWrong =
          isGantryError(error) && error.code === "WEBHOOK_UNAUTHORIZED";
        refuse(head, error, isWrong ? present(head) : undefined);
        throw error;
      }
      unhandled.add(head.requestId);
    },

    settled(head, error) {
      // What came to its handler is listed by it.
      if (!unhandled.delete(head.requestId)) return;
      if (error !== undefined) return refuse(head, error);
      const automationId = head.params.id!;
      const { remoteAddress: address } = head;
      refusals.add({ automationId, verdict: "repeated", code: null, address });
    },

    async fire(request) {
      const { params, body, requestId, remoteAddress: address } = request;
      const automationId = params.id!;
      unhandled.delete(requestId);
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
          // The call has no effect that a key could stand for. It is answered only after it is stored in the list.
          await apart(() => calls.note(facts));
        } else refuse(request, error);
        throw error;
      }
    },
  };
}
