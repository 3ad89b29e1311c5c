import { readFile } from "node:fs/promises";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { createSecret, hashSecret, matchesHash } from "../secret.ts";

/** The token for the user's own scripts, in a file that only the user can read. */
export interface InstallToken {
  matches(candidate: string): boolean;
  /** Replaces the token and returns the new one; the old one is invalid when this resolves. */
  rotate(): Promise<string>;
  /** Number of rotations since the start. */
  rotations(): number;
}

/** Opens the token in a file, and creates one if there is none. */
export async function openInstallToken(file: string): Promise<InstallToken> {
  async function write(): Promise<string> {
    const token = createSecret();
    await writeFileAtomic(file, `${token}\n`);
    return token;
  }
  let hash = hashSecret(
    await readToken(file).then((token) => token ?? write()),
  );
  let rotations = 0;
  return {
    rotations: () => rotations,
    matches: (candidate) => matchesHash(candidate, hash),
    async rotate() {
      const token = await write();
      hash = hashSecret(token);
      rotations++;
      return token;
    },
  };
}

/** Reads the token in a file; `undefined` if there is none. */
export async function readToken(file: string): Promise<string | undefined> {
  try {
    const token = (await readFile(file, "utf8")).trim();
    return token === "" ? undefined : token;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
