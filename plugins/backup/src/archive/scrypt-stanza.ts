import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  scrypt,
} from "node:crypto";
import type { Identity, Recipient } from "age-encryption";

/**
 * How a passphrase opens an age file ("scrypt recipient stanza"), with the scrypt of the system: that of `age-encryption` takes a
 * second or more on the thread that also answers requests.
 */
const LABEL = "age-encryption.org/v1/scrypt";
const ALGORITHM = "chacha20-poly1305";
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const WRAPPED_KEY_BYTES = 16 + TAG_BYTES;
const NO_NONCE = Buffer.alloc(12);

/** What `age` takes about a second for. */
export const DEFAULT_WORK_FACTOR = 18;
/** Highest accepted from a file that another program made: 1 GiB of memory. */
const MAX_WORK_FACTOR = 20;

/** Encrypts a file with a passphrase. */
export function createPassphraseRecipient(
  passphrase: string,
  workFactor: number,
): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const { Stanza } = await import("age-encryption");
      const salt = randomBytes(SALT_BYTES);
      const key = await deriveKey(passphrase, salt, workFactor);
      const cipher = createCipheriv(ALGORITHM, key, NO_NONCE, {
        authTagLength: TAG_BYTES,
      });
      const sealed = cipher.update(fileKey);
      cipher.final();
      const body = Buffer.concat([sealed, cipher.getAuthTag()]);
      const args = ["scrypt", toBase64(salt), String(workFactor)];
      return [new Stanza(args, Uint8Array.from(body))];
    },
  };
}

/** Opens a file with a passphrase. */
export function createPassphraseIdentity(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas;
      if (stanzas.length !== 1 || !stanza || stanza.args[0] !== "scrypt")
        return null;
      const [, saltText = "", factorText = ""] = stanza.args;
      const salt = Buffer.from(saltText, "base64");
      const workFactor = Number(factorText);
      const isWellFormed =
        stanza.args.length === 3 &&
        /^[1-9]\d?$/.test(factorText) &&
        salt.length === SALT_BYTES &&
        toBase64(salt) === saltText &&
        stanza.body.length === WRAPPED_KEY_BYTES;
      if (!isWellFormed || workFactor > MAX_WORK_FACTOR)
        throw new Error("The scrypt stanza is not well formed.");
      const key = await deriveKey(passphrase, salt, workFactor);
      const end = stanza.body.length - TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, key, NO_NONCE, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(stanza.body.subarray(end));
      const fileKey = decipher.update(stanza.body.subarray(0, end));
      try {
        decipher.final();
      } catch {
        return null;
      }
      return Uint8Array.from(fileKey);
    },
  };
}

function deriveKey(
  passphrase: string,
  salt: Buffer,
  workFactor: number,
): Promise<Buffer> {
  const N = 2 ** workFactor;
  const options = { N, r: 8, p: 1, maxmem: 256 * N * 8 };
  return new Promise((resolve, reject) =>
    scrypt(
      passphrase,
      Buffer.concat([Buffer.from(LABEL), salt]),
      32,
      options,
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  );
}

function toBase64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
