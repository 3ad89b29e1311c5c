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

/**
 * Opens the install tokens that were replaced on this machine. No restore brings this file or takes it away.
 *
 * @param onDamaged Called for a file that cannot be understood; it counts as empty.
 */
export async function openRevokedTokens(
  file: string,
  onDamaged: () => void = () => {},
) {
  const text = await readIfThere(file);
  const parsed = Revoked.safeParse(parseJson(text ?? ""));
  if (text !== undefined && !parsed.success) onDamaged();
  let hashes = parsed.data?.hashes ?? [];
  return {
    has: (token: string) => hashes.includes(hash("sha256", token, "base64url")),
    /** It is on disk when this resolves. */
    async add(tokenHash: string): Promise<void> {
      const next = [...hashes, tokenHash].slice(-MAX_REVOKED);
      await replaceFile(file, JSON.stringify({ format: 1, hashes: next }));
      hashes = next;
    },
  };
}
