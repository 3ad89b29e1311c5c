import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** An attachment that was written to the drop box of an agent's folder. */
export const dropSchema = z.object({
  /** The agent's folder at that time. */
  cwd: z.string(),
  /** Path within that folder. */
  path: z.string(),
});

export type Drop = z.infer<typeof dropSchema>;

/** A folder that was created for an agent, with an identity that no later folder at the same path has. */
export const workFolderSchema = z.object({
  path: z.string(),
  identity: z.string(),
});

export type WorkFolder = z.infer<typeof workFolderSchema>;

/** A deleted agent, under its id, whose files may not all be removed yet. */
export const removalSchema = z.object({
  ...storedFields,
  /** Whether to remove its conversation. */
  transcript: z.boolean(),
  /** Its work folder, if that is removed as well. */
  workFolder: workFolderSchema.nullable(),
  /** Its last session. */
  sessionId: z.string().nullable(),
  /** Names of the files with pictures of its queued messages. */
  images: z.array(z.string()),
  drops: z.array(dropSchema),
});

export type RemovalRecord = z.infer<typeof removalSchema>;

export const removalCollection: CollectionDefinition<RemovalRecord> = {
  name: "removal",
  version: 1,
  schema: removalSchema,
};
