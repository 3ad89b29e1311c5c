import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { isSyntheticFileSystem, isSystemPath } from "@gantry/agent-folder";
import { errors } from "../errors.ts";

const MISSING =
  "is not an existing folder given as an absolute path; create it first, or name another";
const SYSTEM_FOLDER = "belongs to the operating system; name another folder";

/**
 * Checks the folder that an agent works in.
 *
 * @param field The request field that names the folder; the error refers to it.
 * @returns the real path of the folder
 * @throws AGENT_FOLDER_INVALID if it is not an existing folder, or is one of the system
 */
export async function checkFolder(
  path: string,
  field?: string,
): Promise<string> {
  const refuse = (reason: string) => {
    const issue = { path: field ?? "", message: reason };
    return errors.AGENT_FOLDER_INVALID(
      { path, reason },
      field === undefined ? {} : { errors: [issue] },
    );
  };
  if (!isAbsolute(path) || path.includes("\0")) throw refuse(MISSING);
  const real = await realpath(path).catch(() => undefined);
  const stats =
    real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || !stats?.isDirectory()) throw refuse(MISSING);
  if (isSystemPath(real) || (await isSyntheticFileSystem(real)))
    throw refuse(SYSTEM_FOLDER);
  return real;
}
