import { hash } from "node:crypto";
import { replaceFile } from "@gantry/plugin/files";
import * as z from "zod";
import { parseJson } from "../parse-json.ts";
import { readIfThere } from "./if-there.ts";

/** The newest of them are kept. */
const MAX_REVOKED = 1000;

const Revoked = z.object({
  format: z.literal(1),
  /** Hashes, the oldest first. */
  hashes: z.array(z.string()),
});

/** Install tokens that were replaced on this machine. No restore brings this file or takes it away. */
export interface RevokedTokens {
  has(token: string): boolean;
  /** It is on disk when this resolves. */
  add(tokenHash: string): Promise<void>;
}

/** @param onDamaged Called for a file that cannot be understood; it counts as empty. */
export async function openRevokedTokens(
  file: string,
  onDamaged: () => void = () => {},
): Promise<RevokedTokens> {
  const text = await readIfThere(file);
  const parsed = Revoked.safeParse(
    text === undefined ? undefined : parseJson(text),
  );
  if (text !== undefined && !parsed.success) onDamaged();
  let hashes = parsed.data?.hashes ?? [];
  return {
    has: (token) => hashes.includes(hash("sha256", token, "base64url")),
    async add(tokenHash) {
      const next = [...hashes, tokenHash].slice(-MAX_REVOKED);
      await replaceFile(file, JSON.stringify({ format: 1, hashes: next }));
      hashes = next;
    },
  };
}
