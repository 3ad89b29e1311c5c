import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A folder that agents can be made in. */
export const workspaceSchema = z.object({
  ...storedFields,
  name: z.string(),
  /** Stands for the path, which may be too long for an index. */
  key: z.string(),
  /** Absolute, with every link followed. */
  path: z.string(),
  /** What was run last in a new working tree of it, for the next one. */
  setup: z.string().nullable().default(null),
});

export type WorkspaceRecord = z.infer<typeof workspaceSchema>;

export const workspaceCollection: CollectionDefinition<WorkspaceRecord> = {
  name: "workspace",
  version: 1,
  schema: workspaceSchema,
  indexes: { path: (workspace) => [workspace.key] },
  // Records that a backup brings are not checked by `Workspaces`: of two of one folder, the one that was here stays.
  unique: ["path"],
};

/** A workspace as clients see it. */
export const workspaceView = workspaceSchema.omit({ key: true });
