import { join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { readSmallFile } from "../archive/plain-file.ts";
import { backupProblem } from "../contract.ts";

/** Beside the manifest, so that it goes with the snapshot wherever the folder is taken. */
export const VERIFICATION_FILE = "verification.json";
const MAX_BYTES = 16 * 1024;

const verificationMark = z.object({
  /** When it was last restored on trial and found whole. */
  verifiedAt: timestamp.nullable(),
  /** What its newest trial found wrong. */
  problem: backupProblem.nullable(),
});
export type VerificationMark = z.infer<typeof verificationMark>;

const NEVER: VerificationMark = { verifiedAt: null, problem: null };

/** What the newest trial of a snapshot found. One that cannot be read is as if there was none. */
export async function readMark(snapshot: string): Promise<VerificationMark> {
  const path = join(snapshot, VERIFICATION_FILE);
  const content = await readSmallFile(path, MAX_BYTES).catch(() => undefined);
  if (!content || content === "too-large") return NEVER;
  try {
    return verificationMark.parse(JSON.parse(content.toString()));
  } catch {
    return NEVER;
  }
}

/** Writes it, whole or not at all. Rejects with the fault of the system. */
export async function writeMark(
  snapshot: string,
  mark: VerificationMark,
): Promise<void> {
  const text = `${JSON.stringify(mark)}\n`;
  await replaceFile(join(snapshot, VERIFICATION_FILE), text);
}
