import type { Clock, RouteDefinition } from "@gantry/plugin";
import type { PluginParts } from "../plugin-parts.ts";
import { agentRoutes } from "./agents.ts";
import { commandRoutes } from "./commands.ts";
import { conversationRoutes } from "./conversation.ts";
import { discardRoutes } from "./discards.ts";
import { folderRoutes } from "./folders.ts";
import { lifecycleRoutes } from "./lifecycle.ts";
import { messageRoutes } from "./messages.ts";
import { overviewRoutes } from "./overview.ts";
import { pullRequestRoutes } from "./pull-requests.ts";
import { repositoryRoutes } from "./repository.ts";
import { screenRoutes } from "./screens.ts";
import { shellRoutes } from "./shell.ts";
import { shippingRoutes } from "./shipping.ts";
import { taskRoutes } from "./tasks.ts";
import { turnChangeRoutes } from "./turn-changes.ts";
import { worktreeRoutes } from "./worktrees.ts";

/** All operations of the plugin, in the order in which the reference lists them. */
export const allRoutes = (
  parts: PluginParts,
  clock: Clock,
): RouteDefinition[] => [
  ...agentRoutes(parts),
  ...lifecycleRoutes(parts),
  ...messageRoutes(parts),
  ...taskRoutes(parts),
  ...folderRoutes(parts),
  ...conversationRoutes(parts),
  ...commandRoutes(parts),
  ...shellRoutes(parts),
  ...screenRoutes(parts),
  ...overviewRoutes(parts, clock),
  ...repositoryRoutes(parts),
  ...shippingRoutes(parts),
  ...discardRoutes(parts),
  ...pullRequestRoutes(parts),
  ...turnChangeRoutes(parts),
  ...worktreeRoutes(parts),
];
