import type { Clock } from "@gantry/plugin";
import * as z from "zod";
import { itemKind, itemSource } from "../contract.ts";
import type { InboxItems } from "../contract.ts";
import type { Intake } from "./intake.ts";
import type { Items } from "./items.ts";
import { noticeLikeness } from "../sources/notices.ts";

/** Ids and keys become parts of storage keys, which hold no halves of surrogate pairs. */
const word = z
  .string()
  .min(1)
  .max(200)
  .refine(
    (text) => !/\p{Surrogate}/u.test(text),
    "must be well-formed Unicode",
  );

/** Other plugins are checked as clients are: what they put here is stored and shown. */
const newItem = z.strictObject({
  kind: itemKind,
  title: z.string().min(1),
  body: z.string(),
  source: itemSource.extend({
    type: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
    id: word,
  }),
  blocking: z.boolean().optional(),
  severity: z.enum(["info", "warning", "error"]).optional(),
  agentId: word.optional(),
  key: word.optional(),
});

/** Serves {@link InboxItems} from the stored items. */
export function createStoredInboxItems(
  items: Items,
  intake: Intake,
  clock: Clock,
): InboxItems {
  return {
    async add(input) {
      const { severity = "info", ...entry } = newItem.parse(input);
      const isNotice = entry.kind === "notice";
      const item = await intake.add({
        ...entry,
        severity: isNotice ? severity : null,
        likeness: isNotice ? noticeLikeness(entry) : null,
        at: clock.timestamp(),
      });
      return { id: item.id };
    },
    async settle({ key }) {
      const item = await items.withKey(key);
      if (item)
        await items.change(item.id, (current) =>
          current.state === "done" ? undefined : { ...current, state: "done" },
        );
    },
  };
}
