import type { CommandInput, PluginCommand } from "@gantry/plugin";
import type { Snapshot } from "../contract.ts";
import type { NowAnswer } from "../routes/inputs.ts";
import {
  chooseSnapshot,
  expectFolder,
  listAll,
  readStoppedSettings,
  refuseFolderOfDaemon,
} from "./find-snapshot.ts";
import { describeSnapshot } from "./format.ts";
import {
  folderOption,
  jsonOption,
  passphraseOption,
  textOf,
  withPassphrase,
} from "./options.ts";
import { describeVerification, verifyStopped } from "./verify-stopped.ts";

/** `gantry backup verify` */
export const verifyCommand: PluginCommand = {
  description: "Restore a snapshot on trial, and start a daemon on the copy",
  options: {
    id: {
      type: "positional",
      description: "Id of the snapshot; the newest good one unless given",
      required: false,
    },
    folder: folderOption,
    "passphrase-file": passphraseOption,
    json: jsonOption,
  },
  async run(input) {
    refuseFolderOfDaemon(input);
    const snapshot = chooseSnapshot(await listAll(input), textOf(input, "id"));
    const isJson = input.args["json"] === true;
    if (!isJson) input.print(describeSnapshot(snapshot));
    const verified = await verify(input, snapshot);
    input.print(
      isJson
        ? JSON.stringify({ snapshot: snapshot.id, verified })
        : describeVerification(verified),
    );
  },
};

async function verify(
  input: CommandInput,
  snapshot: Snapshot,
): Promise<NonNullable<NowAnswer["verified"]>> {
  const { daemon } = input;
  if (!daemon) {
    const folder = expectFolder(await readStoppedSettings(input));
    return await verifyStopped(input, folder, snapshot);
  }
  const { id } = snapshot;
  const answer = await withPassphrase(
    input,
    (passphrase) =>
      daemon.call("POST", "/api/backup/now", {
        id,
        passphrase,
      }) as Promise<NowAnswer>,
  );
  return answer.verified!;
}
