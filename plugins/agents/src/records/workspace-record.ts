import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A project folder in which agents can be created. */
export const workspaceSchema = z.object({
  ...storedFields,
  name: z.string(),
  /** Hash of the path, which may be too long for an index. */
  key: z.string(),
  /** Absolute path with symbolic links resolved. */
  path: z.string(),
});

export type WorkspaceRecord = z.infer<typeof workspaceSchema>;

export const workspaceCollection: CollectionDefinition<WorkspaceRecord> = {
  name: "workspace",
  version: 1,
  schema: workspaceSchema,
  indexes: { path: (workspace) => [workspace.key] },
};

/** A workspace as clients see it. */
export const workspaceView = workspaceSchema.omit({ key: true });
