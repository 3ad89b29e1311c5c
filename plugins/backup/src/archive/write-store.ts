import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StoreEntry, StoreImage, StoreNamespace } from "@gantry/plugin";
import { ArchiveWriter } from "./archive-writer.ts";
import type {
  EarlierArchives,
  StoreArchive,
  StorePart,
} from "./earlier-archives.ts";
import { EntryCounts, type NamespaceCounts } from "./entry-counts.ts";
import {
  isBomb,
  MAX_ARCHIVED_FILE_BYTES,
  MAX_PART_BYTES,
  MIN_PART_BYTES,
  PART_BYTES,
} from "./limits.ts";
import { LineBuffer } from "./line-buffer.ts";
import { archiveName, storeFileName } from "./names.ts";
import { nextTurn } from "./next-turn.ts";
import type { PackedFileOptions } from "./packed-file-writer.ts";
import type { Refusals } from "./refusals.ts";

/** The store as it was written. */
export interface WrittenStore {
  archives: StoreArchive[];
  namespaces: NamespaceCounts[];
  /** The archives that no earlier snapshot has. */
  added: StoreArchive[];
}

/** Where the store is written to. */
export interface StoreTarget extends PackedFileOptions {
  /** Folder of the snapshot. */
  folder: string;
  /** Archives that need not be written again. */
  earlier: EarlierArchives;
  refusals: Refusals;
  /** Turns faults of the target into errors of the table; those of the store stay as they are. */
  toError(error: unknown): unknown;
  onBytes(count: number): void;
}

/** Writes an image of the store: an archive for each namespace, or several for a large one. */
export async function writeStore(
  image: StoreImage,
  target: StoreTarget,
): Promise<WrittenStore> {
  const written: WrittenStore = { archives: [], namespaces: [], added: [] };
  const lines = new LineBuffer();
  for await (const namespace of image.namespaces) {
    const writer = new NamespaceWriter(namespace.name, target, lines);
    const counts = await writer.write(namespace);
    if (counts.entries === 0) continue;
    written.namespaces.push(counts);
    written.archives.push(...writer.archives);
    written.added.push(...writer.added);
  }
  lines.release();
  return written;
}

/** A line of a file of the store. */
export function toLine({ key, text }: StoreEntry): string {
  return `${JSON.stringify({ key, text })}\n`;
}

/** Writes one namespace: its lines in parts, and each part as an archive. */
class NamespaceWriter {
  readonly archives: StoreArchive[] = [];
  /** Those that no earlier snapshot has. */
  readonly added: StoreArchive[] = [];
  readonly #name: string;
  readonly #target: StoreTarget;
  readonly #counts: EntryCounts;
  readonly #lines: LineBuffer;

  constructor(name: string, target: StoreTarget, lines: LineBuffer) {
    this.#name = name;
    this.#target = target;
    this.#lines = lines;
    this.#counts = new EntryCounts(name);
  }

  async write({ entries }: StoreNamespace): Promise<NamespaceCounts> {
    for await (const batch of entries) {
      this.#target.signal.throwIfAborted();
      for (const entry of batch) await this.#add(entry);
      // A store that has everything at hand would let nothing else run.
      await nextTurn();
    }
    await this.#endPart();
    return this.#counts.result();
  }

  async #add(entry: StoreEntry): Promise<void> {
    const line = toLine(entry);
    const bytes = Buffer.byteLength(line);
    const lines = this.#lines;
    if (lines.length + bytes > MAX_PART_BYTES) await this.#endPart();
    lines.add(line, bytes);
    this.#counts.add(entry.key, bytes);
    this.#target.onBytes(bytes);
    if (lines.length >= MIN_PART_BYTES && endsPart(entry.key, bytes))
      await this.#endPart();
  }

  async #endPart(): Promise<void> {
    const { content } = this.#lines;
    if (content.length === 0) return;
    const { earlier, encryption, folder, refusals, toError } = this.#target;
    if (content.length > MAX_ARCHIVED_FILE_BYTES)
      throw refusals.tooLarge(
        `an entry of "${this.#name}" has ${content.length} bytes`,
      );
    const number = this.archives.length + 1;
    const part = {
      name: archiveName(this.#name, number, encryption !== undefined),
      namespace: this.#name,
      contentSha256: createHash("sha256").update(content).digest("hex"),
    };
    try {
      const linked = await earlier.link(part, folder);
      const archive = linked ?? (await this.#write(part, content));
      if (!linked) this.added.push(archive);
      this.archives.push(archive);
      this.#lines.clear();
    } catch (error) {
      throw toError(error);
    }
  }

  async #write(part: StorePart, content: Buffer): Promise<StoreArchive> {
    const { folder, refusals } = this.#target;
    const writer = new ArchiveWriter(folder, part.name, this.#target);
    try {
      await writer.add(storeFileName(this.#name), content);
      const archive = await writer.close();
      // Only a single entry that is very large and says very little gets here.
      if (isBomb(archive))
        throw refusals.tooLarge(
          `an entry of "${this.#name}" takes ${archive.unpackedBytes} bytes to say next to nothing`,
        );
      return { ...archive, ...part };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }
}

/**
 * Whether a part ends behind an entry. The keys decide, and not how much came before: where entries come, go or change, the parts
 * before and behind them stay what they were in the last snapshot.
 */
function endsPart(key: string, lineBytes: number): boolean {
  return crc32(key) < (lineBytes / PART_BYTES) * 2 ** 32;
}
