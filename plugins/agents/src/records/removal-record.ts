import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A file that was put into the drop box of a folder for an agent. */
export const dropSchema = z.object({
  /** The agent's folder at that time. */
  cwd: z.string(),
  /** Below that folder. */
  path: z.string(),
});

export type Drop = z.infer<typeof dropSchema>;

/** A folder that was made for an agent, and no other that may be made in its place. */
export const workFolderSchema = z.object({
  path: z.string(),
  identity: z.string(),
  /** The repository that it is a working tree of. */
  repository: z.string().nullable().default(null),
});

export type WorkFolder = z.infer<typeof workFolderSchema>;

/** An agent that was deleted, under its id, as long as some of its files may be left. */
export const removalSchema = z.object({
  ...storedFields,
  /** Whether its conversation goes as well. */
  transcript: z.boolean(),
  /** Its folder of work, if that goes as well. */
  workFolder: workFolderSchema.nullable(),
  /** The conversation that its CLI had open last. */
  sessionId: z.string().nullable(),
  /** Names of files with pictures of messages that waited. */
  images: z.array(z.string()),
  drops: z.array(dropSchema),
});

export type RemovalRecord = z.infer<typeof removalSchema>;

export const removalCollection: CollectionDefinition<RemovalRecord> = {
  name: "removal",
  version: 1,
  schema: removalSchema,
};
