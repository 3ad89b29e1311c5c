import { constants } from "node:fs";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import {
  descriptorPath,
  type AgentFolder,
  type OpenFolder,
} from "../folder/agent-folder.ts";
import { toFileError } from "../folder/file-errors.ts";
import { isOfGit, showPath } from "../folder/folder-path.ts";
import { errors } from "../errors.ts";
import { toPathText, toUtf8 } from "../repository/path-text.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Works in the folder that a file is in, which is opened part by part, so that no link is followed on the way, also one that
 * is put there meanwhile.
 *
 * @param path One character for each byte.
 * @param isMade Whether folders that are missing are made. Without it, the work is called with `undefined` then.
 * @throws PATH_OUTSIDE for a link or a file in the place of a folder
 */
export async function inParent<Result>(
  folder: AgentFolder,
  path: string,
  isMade: boolean,
  work: (parent: Buffer | undefined, name: Buffer) => Promise<Result>,
): Promise<Result> {
  const names = path.split("/");
  const name = names.pop() ?? "";
  const text = toPathText(path);
  if (isOfGit([...names, name].map(toUtf8)))
    throw errors.PATH_PROTECTED({ path: showPath(text) });
  const last = Buffer.from(name, "latin1");
  let parent: Pick<OpenFolder, "handle"> & { path: Buffer } = toOpen(
    await folder.openFolder(""),
  );
  try {
    for (const part of names) {
      const next = join(parent.path, Buffer.from(part, "latin1"));
      const handle = await openPart(next, isMade, text);
      if (!handle) return await work(undefined, last);
      await parent.handle.close();
      const address = descriptorPath(handle);
      parent = { handle, path: address ? Buffer.from(address) : next };
    }
    return await work(parent.path, last);
  } finally {
    await parent.handle.close();
  }
}

/** A name in a folder. */
export function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from("/"), name]);
}

function toOpen({ handle, path }: OpenFolder) {
  return { handle, path: Buffer.from(path) };
}

async function openPart(
  path: Buffer,
  isMade: boolean,
  asked: string,
): Promise<FileHandle | undefined> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
  try {
    return await open(path, flags).catch(
      async (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT" || !isMade) throw error;
        await mkdir(path);
        return await open(path, flags);
      },
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "ENOTDIR")
      throw errors.PATH_OUTSIDE({ path: showPath(asked) }, { cause: error });
    throw toFileError(error, asked);
  }
}
