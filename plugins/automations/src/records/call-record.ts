import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { storedCall } from "../wire/call.ts";
import type { CallRecord, CallVerdict } from "../wire/call.ts";
import { orderedNumber } from "./run-record.ts";

/** Unauthenticated and unlimited calls are counted apart, so that they push out no others. */
export type CallClass = "answered" | "turned-away";

export function classOf(verdict: CallVerdict): CallClass {
  return verdict === "accepted" || verdict === "skipped"
    ? "answered"
    : "turned-away";
}

export const callCollection: CollectionDefinition<CallRecord> = {
  name: "call",
  version: 1,
  schema: storedCall,
  indexes: {
    automation: (call) => [call.automationId, orderedNumber(call.number)],
    class: (call) => [
      call.automationId,
      classOf(call.verdict),
      orderedNumber(call.number),
    ],
  },
};

const payload = z.object({
  ...storedFields,
  automationId: z.string(),
  number: z.number().int(),
  /** Base64. */
  body: z.string(),
});

export type PayloadRecord = z.infer<typeof payload>;

/** What came with a call. Its id is that of the call, with a prefix of its own. */
export const payloadCollection: CollectionDefinition<PayloadRecord> = {
  name: "payload",
  version: 1,
  schema: payload,
  indexes: {
    automation: ({ automationId, number }) => [
      automationId,
      orderedNumber(number),
    ],
  },
};
