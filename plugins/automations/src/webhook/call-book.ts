import { createIdentifier, createKeyedLock } from "@gantry/plugin";
import type { Clock, Page, StoreOperation } from "@gantry/plugin";
import type { Apart } from "../apart.ts";
import { classOf } from "../records/call-record.ts";
import type { CallClass } from "../records/call-record.ts";
import type { Records } from "../records/records.ts";
import type { CallRecord, CallView, Presented } from "../wire/call.ts";
import { helpFor } from "./call-help.ts";

/** What is recorded of a call. */
export interface NewCall extends Pick<
  CallRecord,
  "automationId" | "verdict" | "code" | "address" | "bytes" | "runId"
> {
  /** Kept for a while, so that it can be sent again. */
  payload?: Uint8Array;
  redeliveryOf?: string;
  presented?: Presented;
}

/** The log of webhook calls, with their results. */
export interface CallBook {
  /** What writes a call, for a batch. */
  toAdd(call: NewCall): Promise<StoreOperation[]>;
  add(call: NewCall): Promise<CallRecord>;
  /** Writes a call together with others that come meanwhile, and resolves when it is on disk. */
  note(call: NewCall): Promise<void>;
  /** Resolves when all that was noted is written. */
  settled(): Promise<void>;
  /** Says how often a call came that is one entry. */
  count(call: CallRecord, count: number, lastAt: string): Promise<void>;
  list(
    automationId: string,
    options: { limit: number; cursor?: string },
  ): Promise<Page<CallView>>;
  get(automationId: string, callId: string): Promise<CallRecord | undefined>;
  /** What came with a call, if it is still kept. */
  payloadOf(call: CallRecord): Promise<Uint8Array | undefined>;
}

/** Payloads of one automation: about 16 MiB. */
const MAX_PAYLOADS = 256;
const DAY_MS = 24 * 60 * 60 * 1000;
export const PAYLOAD_KEPT_MS = 7 * DAY_MS;
/** So many more are let stand until they are removed together. */
const SLACK = 50;
const NOTED_AT_ONCE = 200;
/** Automations whose counts are remembered. */
const MAX_COUNTS = 10_000;

interface NotedCall {
  call: NewCall;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Counts extends Record<CallClass, number> {
  last: number;
  payloads: number;
}

/**
 * @param kept How many calls of an automation are kept that were answered with a run, and as many that were not.
 * @param apart Keeps the removal of old calls from claiming the idempotency key of the call that comes.
 */
export function createCallBook(
  records: Records,
  clock: Clock,
  kept: number,
  apart: Apart,
): CallBook {
  const { calls, payloads } = records;
  const pruning = createKeyedLock();
  const noted: NotedCall[] = [];
  let writing: Promise<void> | undefined;
  const isTooMuch = (known: Counts) =>
    known.answered >= kept + SLACK ||
    known["turned-away"] >= kept + SLACK ||
    known.payloads >= MAX_PAYLOADS + SLACK;
  const counts = new Map<string, Promise<Counts>>();

  async function readCounts(automationId: string): Promise<Counts> {
    const prefix = [automationId];
    const [newest, answered, turnedAway, bodies] = await Promise.all([
      calls.list({ index: "automation", prefix, limit: 1 }),
      calls.count("class", [...prefix, "answered"], 2 * kept),
      calls.count("class", [...prefix, "turned-away"], 2 * kept),
      payloads.count("automation", prefix, 2 * MAX_PAYLOADS),
    ]);
    return {
      last: newest.items[0]?.number ?? 0,
      answered,
      "turned-away": turnedAway,
      payloads: bodies,
    };
  }

  function countsOf(automationId: string): Promise<Counts> {
    let found = counts.get(automationId);
    if (!found) {
      if (counts.size >= MAX_COUNTS) counts.clear();
      found = readCounts(automationId);
      counts.set(automationId, found);
      found.catch(() => counts.delete(automationId));
    }
    return found;
  }

  /** Removes what is too much, some at a time, one removal after the other. */
  function prune(automationId: string, known: Counts): Promise<void> {
    return pruning.run(automationId, async () => {
      for (const kind of ["answered", "turned-away"] as const) {
        if (known[kind] < kept + SLACK) continue;
        const oldest = await calls.list({
          index: "class",
          prefix: [automationId, kind],
          order: "ascending",
          limit: SLACK,
        });
        await records.batch(oldest.items.flatMap((one) => calls.toRemove(one)));
        known[kind] -= oldest.items.length;
      }
      if (known.payloads < MAX_PAYLOADS + SLACK) return;
      const oldest = await payloads.list({
        index: "automation",
        prefix: [automationId],
        order: "ascending",
        limit: SLACK,
      });
      const removals = oldest.items.flatMap((one) => payloads.toRemove(one));
      await records.batch(removals);
      known.payloads -= oldest.items.length;
    });
  }

  async function prepare(
    call: NewCall,
  ): Promise<{ record: CallRecord; operations: StoreOperation[] }> {
    const { payload, redeliveryOf = null, ...facts } = call;
    const { automationId, verdict } = facts;
    const known = await countsOf(automationId);
    const number = ++known.last;
    known[classOf(verdict)]++;
    const inserted = calls.toInsert({
      ...facts,
      id: createIdentifier("cal"),
      number,
      count: 1,
      lastAt: clock.timestamp(),
      redeliveryOf,
      hasPayload: payload !== undefined,
    });
    const { operations } = inserted;
    if (payload) {
      known.payloads++;
      const body = Buffer.from(payload).toString("base64");
      const { id } = inserted.record;
      operations.push(
        ...payloads.toInsert({ id, automationId, number, body }).operations,
      );
    }
    if (isTooMuch(known)) await apart(() => prune(automationId, known));
    return { record: inserted.record, operations };
  }

  async function writeNoted(): Promise<void> {
    while (noted.length > 0) {
      const together = noted.splice(0, NOTED_AT_ONCE);
      try {
        const operations: StoreOperation[] = [];
        for (const { call } of together)
          operations.push(...(await prepare(call)).operations);
        await records.batch(operations);
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    writing = undefined;
  }

  async function findPayload({ id, hasPayload }: CallRecord) {
    const payload = hasPayload ? await payloads.get(id) : undefined;
    const isOld = (at: string) =>
      clock.now() >= Date.parse(at) + PAYLOAD_KEPT_MS;
    return payload && !isOld(payload.createdAt) ? payload : undefined;
  }

  async function toView(call: CallRecord): Promise<CallView> {
    const { hasPayload: _, presented, ...fields } = call;
    const payload = await findPayload(call);
    return {
      ...fields,
      help: helpFor(call.verdict, call.code, presented),
      payloadUntil:
        payload === undefined
          ? null
          : new Date(
              Date.parse(payload.createdAt) + PAYLOAD_KEPT_MS,
            ).toISOString(),
    };
  }

  return {
    toAdd: async (call) => (await prepare(call)).operations,
    async add(call) {
      const { record, operations } = await prepare(call);
      await records.batch(operations);
      return record;
    },
    note: (call) =>
      new Promise((resolve, reject) => {
        noted.push({ call, resolve, reject });
        writing ??= writeNoted();
      }),
    settled: async () => void (await writing),
    count: async ({ id }, count, lastAt) =>
      void (await calls.update(id, (current) => ({
        record: { ...current, count, lastAt },
      }))),
    async list(automationId, options) {
      const page = await calls.list({
        ...options,
        index: "automation",
        prefix: [automationId],
      });
      return { ...page, items: await Promise.all(page.items.map(toView)) };
    },
    async get(automationId, callId) {
      const call = await calls.get(callId);
      return call?.automationId === automationId ? call : undefined;
    },
    async payloadOf(call) {
      const payload = await findPayload(call);
      return payload && new Uint8Array(Buffer.from(payload.body, "base64"));
    },
  };
}
