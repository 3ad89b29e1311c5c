import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A value in a trusted JSON file: where it is, and a digest of it. */
const trustedEntry = z.object({
  path: z.string(),
  /** It is an item of the list at this path. */
  isItem: z.boolean(),
  digest: z.string(),
});

export type TrustedEntry = z.infer<typeof trustedEntry>;

const trustedFile = z.object({
  name: z.string(),
  digest: z.string(),
  /** Of a small JSON file. */
  entries: z.array(trustedEntry).optional(),
});

export type TrustedFile = z.infer<typeof trustedFile>;

/** A folder whose configuration the user lets a CLI run. It is void as soon as path, remote or digest is another. */
export const trustSchema = z.object({
  ...storedFields,
  /** Stands for path, remote and digest together. */
  key: z.string(),
  path: z.string(),
  remote: z.string().nullable(),
  digest: z.string(),
  /**
   * Stands for the repository, its remote and the same content in any of its working trees. `null` in no repository, and
   * in a record of an earlier version until its folder is checked.
   */
  repositoryKey: z.string().nullable(),
  /** What was trusted, to tell what changed. Trust itself is decided by the digests of the whole. */
  files: z.array(trustedFile),
});

export type TrustRecord = z.infer<typeof trustSchema>;

export const trustCollection: CollectionDefinition<TrustRecord> = {
  name: "trust",
  version: 2,
  schema: trustSchema,
  migrate: (data) => ({ ...(data as object), repositoryKey: null, files: [] }),
  indexes: {
    key: (trust) => [trust.key],
    path: (trust) => [trust.path],
    repository: ({ repositoryKey }) =>
      repositoryKey === null ? undefined : [repositoryKey],
  },
};
