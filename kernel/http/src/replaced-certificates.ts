import { X509Certificate } from "node:crypto";
import { replaceFile } from "@gantry/plugin/files";
import * as z from "zod";
import { readIfThere } from "@gantry/system/home/if-there";
import { parseJson } from "@gantry/system/parse-json";

/** The newest of them are kept. */
const MAX_REPLACED = 100;

const Noted = z.object({
  format: z.literal(1),
  /** Of the certificate that was in use last. */
  current: z.string().nullable(),
  /** Of the certificate that a restore brings, until the next start. */
  brought: z.string().nullable(),
  /** Of those that were replaced, the oldest first. */
  replaced: z.array(z.string()),
});

type Noted = z.infer<typeof Noted>;

const NOTHING: Noted = {
  ...{ format: 1, current: null, brought: null, replaced: [] },
};

/**
 * Opens what is noted in a file about certificates that the user replaced on this machine, by removing `certificate.json` or
 * putting another one in its place. No restore brings this file or takes it away. A damaged one counts as empty.
 */
export async function openReplacedCertificates(file: string) {
  let noted = parse(await readIfThere(file));

  async function write(next: Noted): Promise<void> {
    if (JSON.stringify(next) === JSON.stringify(noted)) return;
    await replaceFile(file, JSON.stringify(next));
    noted = next;
  }

  return {
    /**
     * Records the certificate that a start uses. The former one was replaced, unless a restore brought this one.
     *
     * @param isFormerDamaged This one was made because the former one could not be read. That is no replacement.
     */
    async use(certificate: string, isFormerDamaged: boolean): Promise<void> {
      const used = fingerprintOf(certificate);
      if (used === undefined) return;
      const { current, brought, replaced } = noted;
      const isReplacement =
        !isFormerDamaged &&
        current !== null &&
        current !== used &&
        brought !== used;
      // One that was put back by hand is wanted again.
      const others = [...replaced, ...(isReplacement ? [current] : [])].filter(
        (each) => each !== used,
      );
      await write({
        ...{ format: 1, current: used, brought: null },
        replaced: others.slice(-MAX_REPLACED),
      });
    },
    /** Records the content of a `certificate.json` that a restore brings. @returns false if it was replaced here */
    async bring(content: string): Promise<boolean> {
      const staged = fingerprintOf(certificateIn(content));
      // The next start reports what is damaged, and makes another one.
      if (staged === undefined) return true;
      if (noted.replaced.includes(staged)) return false;
      // Where nothing was in use, nothing is replaced.
      if (noted.current !== null) await write({ ...noted, brought: staged });
      return true;
    },
  };
}

function parse(text = ""): Noted {
  return Noted.safeParse(parseJson(text)).data ?? NOTHING;
}

function certificateIn(content: string): string | undefined {
  const shape = z.object({ cert: z.string() });
  return shape.safeParse(parseJson(content)).data?.cert;
}

/** `undefined` for what is no certificate. */
function fingerprintOf(certificate = ""): string | undefined {
  try {
    return new X509Certificate(certificate).fingerprint256;
  } catch {
    return undefined;
  }
}
