import { readFile } from "node:fs/promises";
import { writeFileAtomic } from "../home/atomic-file.ts";
import { createSecret, hashSecret, matchesHash } from "./secret.ts";

/** The token of the user's own command line: a file that only the user can read. */
export interface InstallToken {
  matches(candidate: string): boolean;
  /** Replaces it; the old one is dead when this resolves. */
  rotate(): Promise<string>;
  /** How often it was replaced since the start. */
  rotations(): number;
}

/** Opens the token in a file, and makes one if there is none. */
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

/** The token in a file, `undefined` if there is none. */
export async function readToken(file: string): Promise<string | undefined> {
  try {
    const token = (await readFile(file, "utf8")).trim();
    return token === "" ? undefined : token;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
