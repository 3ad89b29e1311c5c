import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import type { ListedFile } from "./file-list.ts";
import type { ReadContext } from "./packed-file-reader.ts";
import { pathOfPiece } from "./read-pieces.ts";

/** Pieces that are looked at at the same time. */
const LOOKED_AT = 64;

/**
 * Files of snapshots whose content was read and compared a moment ago. Another snapshot with the same pieces on disk need not be
 * read for them again; pieces that were written again since then, or changed, are others.
 */
export class ProvenFiles {
  readonly #proofs = new Set<string>();

  /** Notes that a file has been compared. `proof` is of the time before it was read: a piece may be replaced meanwhile. */
  add(proof: string | undefined): void {
    if (proof !== undefined) this.#proofs.add(proof);
  }

  has(proof: string | undefined): boolean {
    return proof !== undefined && this.#proofs.has(proof);
  }

  /**
   * What a file of a snapshot is, and which files its pieces are at this moment; `undefined` if one of them cannot be looked at.
   */
  async toProof(
    file: ListedFile,
    context: ReadContext,
  ): Promise<string | undefined> {
    const proof = createHash("sha256").update(file.sha256);
    for (let at = 0; at < file.pieces.length; at += LOOKED_AT) {
      context.signal?.throwIfAborted();
      const stamps = await Promise.all(
        file.pieces
          .slice(at, at + LOOKED_AT)
          .map((sha256) => stampOf(pathOfPiece(sha256, context))),
      ).catch(() => undefined);
      if (!stamps) return undefined;
      proof.update(stamps.join());
    }
    return proof.digest("base64");
  }
}

/** Differs if a file was written again, or changed in any way. */
async function stampOf(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true });
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return [path, dev, ino, size, mtimeNs, ctimeNs].join();
}
