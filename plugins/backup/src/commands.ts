import { definePluginCommands } from "@gantry/plugin";
import { listCommand } from "./commands/list.ts";
import { nowCommand } from "./commands/now.ts";
import { restoreCommand } from "./commands/restore.ts";
import { verifyCommand } from "./commands/verify.ts";

export default definePluginCommands({
  name: "backup",
  description: "Snapshots of the home: make, list, verify and restore them",
  commands: {
    now: nowCommand,
    list: listCommand,
    verify: verifyCommand,
    restore: restoreCommand,
  },
});
