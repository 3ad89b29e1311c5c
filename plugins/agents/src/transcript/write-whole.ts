import { open, rm } from "node:fs/promises";
import { createIdentifier } from "@gantry/plugin";
import { placeFile } from "@gantry/plugin/files";
import { errors } from "../errors.ts";
import { isDiskFull } from "./transcript-file.ts";

/** Length of one write. Other requests run between two of them. */
const BATCH_BYTES = 256 * 1024;

/**
 * Replaces a file of JSON lines as a whole: when this rejects, the file is as it was. The lines are on disk when it
 * resolves.
 *
 * @returns how many lines are entries
 * @throws AGENT_DISK_FULL
 */
export async function writeWhole(
  path: string,
  lines: AsyncIterable<object>,
): Promise<number> {
  const draft = `${path}.${createIdentifier("tmp")}`;
  const file = await open(draft, "wx", 0o600);
  let count = 0;
  try {
    let batch: string[] = [];
    let bytes = 0;
    const flush = async () => {
      const text = batch.join("");
      batch = [];
      bytes = 0;
      await file.appendFile(text);
    };
    for await (const line of lines) {
      const text = `${JSON.stringify(line)}\n`;
      batch.push(text);
      bytes += text.length;
      if (!("mark" in line)) count += 1;
      if (bytes >= BATCH_BYTES) await flush();
    }
    await flush();
    await file.datasync();
    await file.close();
    await placeFile(draft, path);
    return count;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw isDiskFull(error)
      ? errors.AGENT_DISK_FULL({}, { cause: error })
      : error;
  }
}
