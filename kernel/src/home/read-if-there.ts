import { readFile } from "node:fs/promises";

/**
 * Reads a text file, `undefined` if there is none.
 *
 * @throws the error of the system, which always names the file
 */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const fault = error as NodeJS.ErrnoException;
    if (fault.code === "ENOENT") return undefined;
    // A folder can be opened, and the error of its reading names nothing.
    fault.path ??= file;
    throw fault;
  }
}
