import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import type { ListedFile } from "./file-list.ts";
import type { ReadContext } from "./packed-file-reader.ts";
import { pathOfPiece } from "./read-pieces.ts";

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
    const pieces = await Promise.all(
      file.pieces.map(async (sha256) => {
        const path = pathOfPiece(sha256, context);
        const stats = await lstat(path, { bigint: true });
        const { dev, ino, size, mtimeNs, ctimeNs } = stats;
        return [path, dev, ino, size, mtimeNs, ctimeNs].join();
      }),
    ).catch(() => undefined);
    if (!pieces) return undefined;
    return createHash("sha256")
      .update([file.sha256, ...pieces].join("\n"))
      .digest("base64");
  }
}
