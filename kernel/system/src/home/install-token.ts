import { hash } from "node:crypto";
import { createKeyedLock } from "@gantry/plugin";
import type { Log } from "@gantry/plugin";
import { replaceFile } from "@gantry/plugin/files";
import { readIfThere } from "./if-there.ts";
import type { Home } from "./home.ts";
import { openRevokedTokens } from "./revoked-tokens.ts";
import { createSecret, matchesHash } from "../secret.ts";

/** The token of the user's own command line: a file that only the user can read. */
export type InstallToken = Awaited<ReturnType<typeof openInstallToken>>;

/** Opens the token of a home, and makes one if there is none, or it is damaged or was revoked before. */
export async function openInstallToken(
  { token: file, revokedTokens }: Pick<Home, "token" | "revokedTokens">,
  log: Log,
) {
  const revoked = await openRevokedTokens(revokedTokens, () =>
    log.warn(`${revokedTokens} was damaged: it counts as empty`),
  );
  const rotating = createKeyedLock();
  async function write(): Promise<string> {
    const token = createSecret();
    await replaceFile(file, `${token}\n`);
    return token;
  }
  const found = await readToken(file);
  const kept = found !== undefined && revoked.has(found) ? undefined : found;
  const token = kept ?? (await write());
  if (kept === undefined) log.info(`A new token was written to ${file}`);
  let tokenHash = hash("sha256", token, "base64url");
  let rotations = 0;
  return {
    /** How often it was replaced since the start. */
    rotations: () => rotations,
    matches: (candidate: string) => matchesHash(candidate, tokenHash),
    /** Replaces it; the old one is dead when this resolves. */
    rotate: () =>
      rotating.run("", async () => {
        // First: a daemon that is killed in between makes a new one at its next start.
        await revoked.add(tokenHash);
        const token = await write();
        tokenHash = hash("sha256", token, "base64url");
        rotations++;
        return token;
      }),
  };
}

/** What a header can carry; anything else in the file is damage. */
const TOKEN = /^[\x21-\x7e]{1,512}$/;

/** The token in a file, `undefined` if there is none. */
export async function readToken(file: string): Promise<string | undefined> {
  const token = (await readIfThere(file))?.trim() ?? "";
  return TOKEN.test(token) ? token : undefined;
}
