import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** The result of a call of a webhook. */
export const callVerdict = z.enum([
  /** A run began, or waits for a free place. */
  "accepted",
  /** A gate kept the run from starting. */
  "skipped",
  /** It came with a key that had been answered before, and got the same answer. */
  "repeated",
  /** It was too fast to be recorded as a run: 429. */
  "limited",
  /** It did not carry the secret, or its body was not taken. */
  "refused",
]);

export type CallVerdict = z.infer<typeof callVerdict>;

/** What a call without the right secret showed instead. */
export const presented = z.enum([
  "nothing",
  "signature",
  "other-scheme",
  "secret",
  /** A secret, while that of the webhook is one that a restore brought back after it was revoked. */
  "secret-while-revoked",
]);

export type Presented = z.infer<typeof presented>;

const fields = {
  /** Counts the calls of one automation, from 1; numbers may be missing. */
  number: z.number().int().positive(),
  automationId: z.string(),
  verdict: callVerdict,
  /** The code of the error that was answered, or the reason of the skip; `null` if a run began. */
  code: z.string().nullable(),
  /** Where it came from; `null` for calls of very many addresses, and for one that was sent again by the user. */
  address: z.string().nullable(),
  /** Size of the body; `null` if it was not read. */
  bytes: z.number().int().nullable(),
  runId: z.string().nullable(),
  /** Refused calls from one address are one entry for some minutes. */
  count: z.number().int().positive(),
  lastAt: timestamp,
  /** The call whose payload this one sent again. */
  redeliveryOf: z.string().nullable(),
};

/** A call as it is stored. Nothing of the secret, and the payload apart. */
export const storedCall = z.object({
  ...storedFields,
  ...fields,
  hasPayload: z.boolean(),
  /** Only of calls without the right secret; earlier versions did not store it. */
  presented: presented.optional(),
});

export type CallRecord = z.infer<typeof storedCall>;

/** A call as clients see it. */
export const callView = z.object({
  ...storedFields,
  ...fields,
  /** Until when its payload is kept and can be sent again; `null` if it is gone. */
  payloadUntil: timestamp.nullable(),
  /** Why it was refused and what to do about it; `null` if it was not refused. */
  help: z.string().nullable(),
});

export type CallView = z.infer<typeof callView>;
