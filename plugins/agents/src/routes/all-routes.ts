import type { RouteDefinition } from "@gantry/plugin";
import type { PluginParts } from "../plugin-parts.ts";
import { agentRoutes } from "./agents.ts";
import { cliRoutes } from "./clis.ts";
import { commandRoutes } from "./commands.ts";
import { conversationRoutes } from "./conversation.ts";
import { dropRoute } from "./drop.ts";
import { folderRoutes } from "./folders.ts";
import { lifecycleRoutes } from "./lifecycle.ts";
import { messageRoutes } from "./messages.ts";
import { screenRoutes } from "./screens.ts";
import { shellRoutes } from "./shell.ts";
import { taskRoutes } from "./tasks.ts";

/** All operations of the plugin, in the order in which the reference lists them. */
export const allRoutes = (parts: PluginParts): RouteDefinition[] => [
  ...agentRoutes(parts),
  ...lifecycleRoutes(parts),
  ...messageRoutes(parts),
  ...taskRoutes(parts),
  dropRoute(parts),
  ...folderRoutes(parts),
  ...conversationRoutes(parts),
  ...commandRoutes(parts),
  ...shellRoutes(parts),
  ...screenRoutes(parts),
  ...cliRoutes(parts),
];
