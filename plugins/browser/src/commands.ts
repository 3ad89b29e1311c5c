import { definePluginCommands } from "@gantry/plugin";
import { toolsCommand } from "./commands/tools.ts";

export default definePluginCommands({
  name: "browser",
  description: "The work browser: the tools that an agent's CLI starts",
  commands: { tools: toolsCommand },
});
