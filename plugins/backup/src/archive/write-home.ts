import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveWriter, type WrittenArchive } from "./archive-writer.ts";
import { withholdSecrets } from "./config-secrets.ts";
import { whyUnread, type LeftOut } from "./find-files.ts";
import { homeArchiveName, homeFiles } from "./names.ts";
import type { PackedFileOptions } from "./packed-file-writer.ts";
import { readSmallFile } from "./plain-file.ts";
import { codeOf } from "./refusals.ts";

/** A configuration or a certificate has some kilobytes. */
const MAX_HOME_FILE_BYTES = 4 * 1024 * 1024;

/** What the files of the home are written with. */
export interface HomeTarget extends PackedFileOptions {
  /** The home. */
  home: string;
  /** Folder of the snapshot. */
  folder: string;
  includeSecrets: boolean;
  leftOut: LeftOut[];
  toError(error: unknown): unknown;
}

/** The files of the home as they were written. */
export interface WrittenHome {
  archive: WrittenArchive;
  withheld: string[];
  bytes: number;
}

/** Writes `config.json` and, with secrets, the token and the certificate. */
export async function writeHome(target: HomeTarget): Promise<WrittenHome> {
  const { encryption, folder, includeSecrets, toError } = target;
  const names = homeFiles(includeSecrets);
  const written = { withheld: [] as string[], bytes: 0 };
  const name = homeArchiveName(encryption !== undefined);
  const archive = new ArchiveWriter(folder, name, target);
  try {
    for (const file of names) {
      const content = await readHomeFile(file, target, written.withheld);
      if (!content) continue;
      written.bytes += content.length;
      await archive.add(file, content);
    }
    return { ...written, archive: await archive.close() };
  } catch (error) {
    await archive.abort();
    throw toError(error);
  }
}

async function readHomeFile(
  file: string,
  { home, includeSecrets, leftOut }: HomeTarget,
  withheld: string[],
): Promise<Buffer | undefined> {
  const leaveOut = (reason: string) =>
    void leftOut.push({ path: file, reason });
  let content: Buffer | "too-large" | undefined;
  try {
    const path = join(home, file);
    if (!(await isThere(path))) return undefined;
    // It may be a link, such as to a folder with the settings of many programs; the daemon reads what that leads to.
    content = await readSmallFile(await realpath(path), MAX_HOME_FILE_BYTES);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return void leaveOut("it is a broken link");
    return void leaveOut(whyUnread(error));
  }
  if (content === undefined) return void leaveOut("it is not a plain file");
  if (content === "too-large") return void leaveOut("it is too large");
  if (includeSecrets) return content;
  const config = withholdSecrets(content.toString());
  if (!config)
    return void leaveOut(
      "it is not JSON, so that secrets in it cannot be told apart",
    );
  withheld.push(...config.withheld);
  return Buffer.from(config.text);
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}
