import { lstat, readFile } from "node:fs/promises";

/** What is read of a path, `undefined` if nothing is there. Rejects with any other error. */
export async function ifThere<Result>(
  reading: Promise<Result>,
  absent: readonly string[] = ["ENOENT"],
): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (absent.includes((error as { code?: string }).code ?? ""))
      return undefined;
    throw error;
  }
}

/** What is under a path, also a broken link. `undefined` if nothing is. */
export const statIfThere = (path: string) =>
  ifThere(lstat(path), ["ENOENT", "ENOTDIR"]);

/** Reads a text file, `undefined` if there is none. @throws the error of the system, which always names the file */
export function readIfThere(file: string): Promise<string | undefined> {
  const reading = readFile(file, "utf8").catch((error: { path?: string }) => {
    // A folder can be opened, and the error of its reading names nothing.
    error.path ??= file;
    throw error;
  });
  return ifThere(reading);
}
