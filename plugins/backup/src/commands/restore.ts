import type { CommandInput, PluginCommand } from "@gantry/plugin";
import type { Snapshot } from "../contract.ts";
import type { RestoreAnswer } from "../routes/inputs.ts";
import {
  chooseSnapshot,
  expectFolder,
  listAll,
  readStoppedSettings,
  refuseFolderOfDaemon,
  refuseManyHomes,
} from "./find-snapshot.ts";
import { readSettingsCopy } from "../settings/settings-copy.ts";
import { describeSnapshot } from "./format.ts";
import {
  folderOption,
  jsonOption,
  passphraseOption,
  textOf,
  withPassphrase,
} from "./options.ts";
import { restoreStopped } from "./restore-stopped.ts";
import type { RestoreOutcome } from "./restore-outcome.ts";
import { describeOutcome } from "./restore-outcome.ts";

/** `gantry backup restore` */
export const restoreCommand: PluginCommand = {
  description: "Bring back all of a snapshot, or parts of it",
  options: {
    id: {
      type: "positional",
      description: "Id of the snapshot; the newest good one unless given",
      required: false,
    },
    only: {
      type: "string",
      description:
        "Parts to bring back, with commas between: snippets,automations:run",
    },
    yes: {
      type: "boolean",
      description: "Do it; without this it only tells what it would do",
    },
    "keep-sessions": {
      type: "boolean",
      description: "Leave browsers paired that are paired now",
    },
    "without-safety-snapshot": {
      type: "boolean",
      description:
        "Make no snapshot of what is there, which cannot be brought back then",
    },
    folder: folderOption,
    "passphrase-file": passphraseOption,
    json: jsonOption,
  },
  async run(input) {
    refuseFolderOfDaemon(input);
    const id = textOf(input, "id");
    const snapshots = await listAll(input);
    if (id === undefined) await refuseManyHomes(input, snapshots);
    const snapshot = chooseSnapshot(snapshots, id);
    const only = textOf(input, "only")
      ?.split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const isJson = input.args["json"] === true;
    if (!isJson) input.print(describeSnapshot(snapshot));
    const outcome = await withPassphrase(input, (passphrase) =>
      restore(input, snapshot, { only, passphrase }),
    );
    if (isJson)
      return input.print(JSON.stringify({ snapshot: snapshot.id, ...outcome }));
    for (const line of describeOutcome(snapshot, outcome)) input.print(line);
  },
};

async function restore(
  input: CommandInput,
  snapshot: Snapshot,
  choice: { only: string[] | undefined; passphrase: string | undefined },
): Promise<RestoreOutcome> {
  const { daemon, args } = input;
  if (!daemon) {
    const known = await readSettingsCopy(input.folder);
    const folder = expectFolder(await readStoppedSettings(input));
    return await restoreStopped(input, { ...choice, snapshot, folder, known });
  }
  if (args["without-safety-snapshot"] === true)
    throw new Error(
      "A running daemon always makes a safety snapshot; stop it, or leave --without-safety-snapshot out.",
    );
  return (await daemon.call("POST", "/api/backup/restore", {
    id: snapshot.id,
    ...choice,
    keepsSessions: args["keep-sessions"] === true,
    preview: args["yes"] !== true,
  })) as RestoreAnswer;
}
