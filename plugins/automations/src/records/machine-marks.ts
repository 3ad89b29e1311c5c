import { keyPart, MACHINE_PREFIX } from "@gantry/plugin";
import type { Store, StoreOperation } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { runReason } from "../wire/run.ts";

const slotMark = z.object({ at: timestamp, slotAt: timestamp });

/** The latest slot of a schedule that was claimed on this machine, and when. */
export type SlotMark = z.infer<typeof slotMark>;

const runMark = z.object({
  at: timestamp,
  /** How it ended; `null` if it has begun. */
  end: z
    .object({
      result: z.enum(["done", "failed", "skipped"]),
      reason: runReason.nullable(),
      costUsd: z.number().nullable(),
    })
    .nullable(),
});

/** The result of a run on this machine. */
export type RunMark = z.infer<typeof runMark>;

/**
 * What already happened on this machine, and what was revoked on it. A restore takes back the records of it and not these marks,
 * so that nothing happens twice, and no secret works again. Only the newest of each kind are kept.
 */
export interface MachineMarks {
  toClaim(
    automationId: string,
    scheduleId: string,
    mark: SlotMark,
  ): StoreOperation[];
  /** All claimed slots, by automation and schedule. */
  readSlots(): Promise<ReadonlyMap<string, ReadonlyMap<string, SlotMark>>>;
  toNoteRun(runId: string, mark: RunMark): StoreOperation[];
  run(runId: string): Promise<RunMark | undefined>;
  /** Notes that the target for messages about a run was notified, or could not be. */
  toNoteTold(runId: string, at: string): StoreOperation[];
  wasTold(runId: string): Promise<boolean>;
  /** Notes that a webhook's secret was replaced, or its webhook ended. `null` for no secret. */
  toRevoke(secretHash: string | null, at: string): StoreOperation[];
  /** Hashes of secrets that were revoked, and when. */
  readRevoked(): Promise<Map<string, string>>;
  /** Notes when runs of an automation crashed lately, in place of what was noted before. */
  toNoteCrashes(
    automationId: string,
    at: string,
    crashes: readonly string[],
  ): StoreOperation[];
  /** When they did; `undefined` if it was never noted. */
  crashes(automationId: string): Promise<readonly string[] | undefined>;
  /** Forgets marks that are too many, the oldest first. */
  forget(): Promise<void>;
}

/** Marks of one kind that are kept. */
const MAX_MARKS = 10_000;
const PAGE = 500;
const SLOT = `${MACHINE_PREFIX}slot:`;
const RUN = `${MACHINE_PREFIX}run:`;
const REVOKED = `${MACHINE_PREFIX}revoked:`;
const TOLD = `${MACHINE_PREFIX}told:`;
const CRASHES = `${MACHINE_PREFIX}crashes:`;
const crashMark = z.object({ at: timestamp, crashes: z.array(timestamp) });

export function openMachineMarks(store: Store): MachineMarks {
  async function* readAll(prefix: string) {
    let cursor: string | undefined;
    do {
      const page = await store.list<{ at?: unknown }>(prefix, {
        limit: PAGE,
        cursor,
      });
      yield page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async function forgetOldest(prefix: string): Promise<void> {
    const found: { key: string; at: string }[] = [];
    for await (const items of readAll(prefix))
      for (const { key, value } of items)
        found.push({ key, at: String(value.at) });
    const surplus = found
      .sort((one, other) => (one.at < other.at ? 1 : -1))
      .slice(MAX_MARKS);
    for (let from = 0; from < surplus.length; from += PAGE)
      await store.batch(
        surplus
          .slice(from, from + PAGE)
          .map(({ key }) => ({ type: "remove", key })),
      );
  }

  return {
    toClaim: (automationId, scheduleId, value) => [
      {
        type: "set",
        key: `${SLOT}${automationId}:${keyPart(scheduleId)}`,
        value,
      },
    ],
    async readSlots() {
      const slots = new Map<string, Map<string, SlotMark>>();
      for await (const items of readAll(SLOT))
        for (const { key, value } of items) {
          const { data } = slotMark.safeParse(value);
          const [id = "", schedule = ""] = key.slice(SLOT.length).split(":");
          if (!data) continue;
          const own = slots.get(id) ?? new Map<string, SlotMark>();
          slots.set(id, own.set(decodeURIComponent(schedule), data));
        }
      return slots;
    },
    toNoteRun: (runId, value) => [{ type: "set", key: RUN + runId, value }],
    run: async (runId) => runMark.safeParse(await store.get(RUN + runId)).data,
    toNoteTold: (runId, at) => [
      { type: "set", key: TOLD + runId, value: { at } },
    ],
    wasTold: async (runId) => (await store.get(TOLD + runId)) !== undefined,
    toRevoke: (secretHash, at) =>
      secretHash === null
        ? []
        : [{ type: "set", key: REVOKED + secretHash, value: { at } }],
    async readRevoked() {
      const revoked = new Map<string, string>();
      for await (const items of readAll(REVOKED))
        for (const { key, value } of items)
          revoked.set(key.slice(REVOKED.length), String(value.at));
      return revoked;
    },
    toNoteCrashes: (automationId, at, crashes) => [
      { type: "set", key: CRASHES + automationId, value: { at, crashes } },
    ],
    async crashes(automationId) {
      const value = await store.get(CRASHES + automationId);
      return crashMark.safeParse(value).data?.crashes;
    },
    async forget() {
      for (const prefix of [SLOT, RUN, REVOKED, TOLD, CRASHES])
        await forgetOldest(prefix);
    },
  };
}
