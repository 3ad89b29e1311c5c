import type { RouteDefinition } from "@gantry/plugin";
import type { WorkspaceParts } from "../workspace-parts.ts";
import { branchRoutes } from "./branch-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { commitRoutes } from "./commit-routes.ts";
import { composeRoutes } from "./compose-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { folderRoutes } from "./folder-routes.ts";
import { historyRoutes } from "./history-routes.ts";

/** All operations of the plugin. */
export const createRoutes = (parts: WorkspaceParts): RouteDefinition[] => [
  ...folderRoutes(parts),
  ...fileRoutes(parts),
  ...historyRoutes(parts),
  ...commitRoutes(parts),
  ...changeRoutes(parts),
  ...branchRoutes(parts),
  ...composeRoutes(parts),
];
