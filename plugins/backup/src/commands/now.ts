import type { CommandInput, PluginCommand } from "@gantry/plugin";
import type { Manifest } from "../archive/manifest.ts";
import type { Snapshot } from "../contract.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import type { NowAnswer } from "../routes/inputs.ts";
import { makeSnapshot } from "../work/make-snapshot.ts";
import {
  expectFolder,
  listAll,
  readStoppedSnapshots,
  stoppedIdentity,
  readStoppedSettings,
  refuseFolderOfDaemon,
} from "./find-snapshot.ts";
import { describeSnapshot, warnOfOtherHomes } from "./format.ts";
import {
  folderOption,
  jsonOption,
  passphraseOption,
  withPassphrase,
} from "./options.ts";
import { systemTime } from "./system-time.ts";
import { describeVerification, verifyStopped } from "./verify-stopped.ts";

/** `gantry backup now` */
export const nowCommand: PluginCommand = {
  description: "Make a snapshot",
  options: {
    verify: {
      type: "boolean",
      description: "Restore it on trial, and start a daemon on the copy",
    },
    folder: folderOption,
    "passphrase-file": passphraseOption,
    json: jsonOption,
  },
  async run(input) {
    refuseFolderOfDaemon(input);
    const answer = input.daemon
      ? await askDaemon(input, input.daemon)
      : await makeStopped(input);
    if (input.args["json"] === true) return input.print(JSON.stringify(answer));
    input.print(describeSnapshot(answer.snapshot));
    if (answer.verified) input.print(describeVerification(answer.verified));
    warnOfOtherHomes(input, await listAll(input));
  },
};

async function askDaemon(
  input: CommandInput,
  daemon: NonNullable<CommandInput["daemon"]>,
): Promise<NowAnswer> {
  const call = (body: object) =>
    daemon.call("POST", "/api/backup/now", body) as Promise<NowAnswer>;
  const made = await call({});
  if (input.args["verify"] !== true) return made;
  // In a call of its own, so that a passphrase that is missing makes no second snapshot.
  const { id } = made.snapshot;
  return await withPassphrase(input, (passphrase) => call({ id, passphrase }));
}

async function makeStopped(input: CommandInput): Promise<NowAnswer> {
  const settings = await readStoppedSettings(input);
  const folder = expectFolder(settings);
  const keys = createKeyRing(input.folder);
  const identity = await stoppedIdentity(input);
  const manifest = await input.withStoppedHome(
    async (home, { signal }): Promise<Manifest> =>
      await makeSnapshot({
        ...{ home, settings, keys, identity, signal },
        clock: systemTime,
        reason: "manual",
        rewrites: false,
        onProgress: () => {},
      }),
  );
  const find = async (): Promise<Snapshot> =>
    (await readStoppedSnapshots(input, folder)).find(
      ({ id }) => id === manifest.id,
    )!;
  const snapshot = await find();
  if (input.args["verify"] !== true) return { snapshot, verified: null };
  const verified = await verifyStopped(input, folder, snapshot);
  return { snapshot: await find(), verified };
}
