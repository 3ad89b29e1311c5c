import type { PluginCommand } from "@gantry/plugin";
import { listAll } from "./find-snapshot.ts";
import { describeSnapshot, warnOfOtherHomes } from "./format.ts";
import { folderOption, jsonOption } from "./options.ts";

/** `gantry backup list` */
export const listCommand: PluginCommand = {
  description: "List the snapshots, the newest first",
  options: { folder: folderOption, json: jsonOption },
  async run(input) {
    const snapshots = await listAll(input);
    if (input.args["json"] === true)
      return input.print(JSON.stringify({ items: snapshots }));
    if (snapshots.length === 0) input.print("There is no snapshot.");
    for (const snapshot of snapshots) input.print(describeSnapshot(snapshot));
    warnOfOtherHomes(input, snapshots);
  },
};
