import type { CommandInput } from "@gantry/plugin";
import type { Snapshot } from "../contract.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import type { NowAnswer } from "../routes/inputs.ts";
import { writeMark } from "../snapshots/verification-mark.ts";
import { openForVerification } from "../work/open-for-verification.ts";
import { isDamage, toProblem } from "../work/to-problem.ts";
import { verifySnapshot } from "../work/verify-snapshot.ts";
import { formatCount } from "./format.ts";
import { learnRecordVersions } from "./learn-record-versions.ts";
import { withPassphrase } from "./options.ts";
import { systemTime } from "./system-time.ts";

type Verified = NonNullable<NowAnswer["verified"]>;

/** Restores a snapshot on trial while no daemon runs, and notes in its folder what came of it. */
export async function verifyStopped(
  input: CommandInput,
  folder: string,
  snapshot: Snapshot,
): Promise<Verified> {
  const keys = createKeyRing(input.folder);
  const { path, verifiedAt } = snapshot;
  try {
    const found = await withPassphrase(input, (passphrase) =>
      input.withStoppedHome(async (home, { signal }) => {
        const reading = { snapshot, folder, keys, passphrase };
        const reader = await openForVerification(reading);
        // What keeps plugins from starting also ends the verification, with the reason.
        const learned = await learnRecordVersions(home, reader, signal);
        return await verifySnapshot({
          ...{ home: learned.home, reader, signal },
          // There is no daemon whose plugins could be compared.
          expected: undefined,
          update: () => {},
        });
      }),
    );
    const at = systemTime.timestamp();
    await writeMark(path, { verifiedAt: at, problem: null });
    return { ok: true, at, ...found };
  } catch (error) {
    if (isDamage(error)) {
      const problem = toProblem(error, systemTime.timestamp());
      await writeMark(path, { verifiedAt, problem }).catch(() => {});
    }
    throw error;
  }
}

/** What a verification found, in a line. */
export function describeVerification(verified: Verified): string {
  const { plugins, records, files } = verified;
  return `Verified: all of it is as it was written (${formatCount(records, "record")}, ${formatCount(files, "file")}), and a daemon starts on it with ${formatCount(plugins, "plugin")}.`;
}
