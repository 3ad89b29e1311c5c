import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** Trust in the configuration of a folder. It is valid only for the same path, remote and digest. */
export const trustSchema = z.object({
  ...storedFields,
  /** Hash of path, remote and digest. */
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
