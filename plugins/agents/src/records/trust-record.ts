import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A folder whose configuration the user lets a CLI run. It is void as soon as any of the three is another. */
export const trustSchema = z.object({
  ...storedFields,
  /** Stands for the three together. */
  key: z.string(),
  path: z.string(),
  remote: z.string().nullable(),
  digest: z.string(),
});

export type TrustRecord = z.infer<typeof trustSchema>;

export const trustCollection: CollectionDefinition<TrustRecord> = {
  name: "trust",
  version: 1,
  schema: trustSchema,
  indexes: { key: (trust) => [trust.key] },
};
