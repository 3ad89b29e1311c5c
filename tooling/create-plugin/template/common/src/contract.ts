import { defineEvent } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A my thing, as it is stored and as clients see it. */
export const MyThing = z.object({
  ...storedFields,
  /** One line; no two my things have the same one. */
  title: z.string(),
  /** Free text; empty if there is nothing to say. */
  note: z.string(),
});
export type MyThing = z.infer<typeof MyThing>;

/** What a client may say of a my thing. Strict, so that a misspelt field is refused and not lost. */
export const MyThingInput = z.strictObject({
  title: z
    .string()
    .trim()
    .min(1, "Give it a title")
    .max(200, "At most 200 characters"),
  note: z.string().max(2000, "At most 2,000 characters").default(""),
});
export type MyThingInput = z.infer<typeof MyThingInput>;

/** Tells that there is one more my thing. */
export const MyThingAdded = defineEvent<{ title: string }>(
  "my-plugin.my-thing-added",
  "A my thing was added.",
);
