import type { StoreEntry, StoreImage, StoreNamespace } from "@gantry/plugin";
import { ArchiveWriter, type WrittenArchive } from "./archive-writer.ts";
import { EntryCounts, type NamespaceCounts } from "./entry-counts.ts";
import {
  ARCHIVED_FILE_BYTES,
  isBomb,
  MAX_ARCHIVED_FILE_BYTES,
} from "./limits.ts";
import { archiveName, storeFileName } from "./names.ts";
import { nextTurn } from "./next-turn.ts";
import type { PackedFileOptions } from "./packed-file-writer.ts";
import type { Refusals } from "./refusals.ts";

/** The store as it was written. */
export interface WrittenStore {
  archives: (WrittenArchive & { namespace: string })[];
  namespaces: NamespaceCounts[];
}

/** Where the store is written to. */
export interface StoreTarget extends PackedFileOptions {
  /** Folder of the snapshot. */
  folder: string;
  refusals: Refusals;
  /** Turns faults of the target into errors of the table; those of the store stay as they are. */
  toError(error: unknown): unknown;
  onBytes(count: number): void;
}

/** Writes an image of the store: an archive, or several, for each namespace. */
export async function writeStore(
  image: StoreImage,
  target: StoreTarget,
): Promise<WrittenStore> {
  const written: WrittenStore = { archives: [], namespaces: [] };
  for await (const namespace of image.namespaces) {
    const writer = new NamespaceWriter(namespace.name, target);
    const counts = await writer.write(namespace);
    if (counts.entries === 0) continue;
    written.namespaces.push(counts);
    for (const archive of writer.archives)
      written.archives.push({ ...archive, namespace: namespace.name });
  }
  return written;
}

/** A line of a file of the store. */
export function toLine({ key, text }: StoreEntry): string {
  return `${JSON.stringify({ key, text })}\n`;
}

/** Writes one namespace: lines into files, files into archives, the next of each when one is full. */
class NamespaceWriter {
  readonly archives: WrittenArchive[] = [];
  readonly #name: string;
  readonly #target: StoreTarget;
  readonly #counts: EntryCounts;
  #archive: ArchiveWriter | undefined;
  #files = 0;
  #lines: Buffer[] = [];
  #bytes = 0;

  constructor(name: string, target: StoreTarget) {
    this.#name = name;
    this.#target = target;
    this.#counts = new EntryCounts(name);
  }

  async write({ entries }: StoreNamespace): Promise<NamespaceCounts> {
    try {
      for await (const batch of entries) {
        this.#target.signal.throwIfAborted();
        for (const entry of batch) await this.#add(entry);
        // A store that has everything at hand would let nothing else run.
        await nextTurn();
      }
      await this.#endFile();
      await this.#endArchive();
      return this.#counts.result();
    } catch (error) {
      await this.#archive?.abort();
      throw error;
    }
  }

  async #add(entry: StoreEntry): Promise<void> {
    const line = Buffer.from(toLine(entry));
    if (this.#bytes + line.length > ARCHIVED_FILE_BYTES) await this.#endFile();
    this.#counts.add(entry.key, line.length);
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#target.onBytes(line.length);
  }

  async #endFile(): Promise<void> {
    if (this.#bytes === 0) return;
    const content = Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    if (content.length > MAX_ARCHIVED_FILE_BYTES)
      throw this.#target.refusals.tooLarge(
        `an entry of "${this.#name}" has ${content.length} bytes`,
      );
    if (this.#archive?.isFull(content.length)) await this.#endArchive();
    const { encryption, folder, toError } = this.#target;
    const number = this.archives.length + 1;
    this.#archive ??= new ArchiveWriter(
      folder,
      archiveName(this.#name, number, encryption !== undefined),
      this.#target,
    );
    try {
      await this.#archive.add(
        storeFileName(this.#name, ++this.#files),
        content,
      );
    } catch (error) {
      throw toError(error);
    }
  }

  async #endArchive(): Promise<void> {
    if (!this.#archive) return;
    let archive: WrittenArchive;
    try {
      archive = await this.#archive.close();
    } catch (error) {
      throw this.#target.toError(error);
    }
    this.#archive = undefined;
    // Only a single entry that is very large and says very little gets here.
    if (isBomb(archive))
      throw this.#target.refusals.tooLarge(
        `an entry of "${this.#name}" takes ${archive.unpackedBytes} bytes to say next to nothing`,
      );
    this.archives.push(archive);
  }
}
