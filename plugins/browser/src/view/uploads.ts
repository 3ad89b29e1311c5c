import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@gantry/plugin";
import { cleanFileName } from "./download-files.ts";

export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
/** How long a file is kept for the page that it was chosen for. */
const KEEP_MS = 60 * 60_000;
/** Files that are kept at once; the oldest are removed. */
const MAX_UPLOADS = 50;

/** A file that the user chose in Gantry's UI for a page in the browser. */
export interface Upload {
  id: string;
  name: string;
  size: number;
}

interface StoredUpload extends Upload {
  path: string;
  stopTimer(): void;
}

/** Files that are passed from the user to a page. */
export class Uploads {
  readonly #clock: Clock;
  readonly #machineFolder: () => Promise<string>;
  readonly #stored = new Map<string, StoredUpload>();
  #folder: Promise<string> | undefined;

  constructor(options: { clock: Clock; machineFolder(): Promise<string> }) {
    this.#clock = options.clock;
    this.#machineFolder = () => options.machineFolder();
  }

  async add(suggestedName: string, bytes: Uint8Array): Promise<Upload> {
    const id = `upl_${randomUUID()}`;
    const path = join(await this.#openFolder(), id);
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    const name = cleanFileName(suggestedName);
    const stopTimer = this.#clock.after(KEEP_MS, () => void this.remove(id));
    this.#stored.set(id, { id, name, size: bytes.length, path, stopTimer });
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= MAX_UPLOADS) break;
      await this.remove(oldest);
    }
    return { id, name, size: bytes.length };
  }

  get(id: string): { path: string; name: string } | undefined {
    return this.#stored.get(id);
  }

  async remove(id: string): Promise<void> {
    const stored = this.#stored.get(id);
    if (!stored) return;
    this.#stored.delete(id);
    stored.stopTimer();
    await rm(stored.path, { force: true });
  }

  #openFolder(): Promise<string> {
    return (this.#folder ??= this.#emptyFolder());
  }

  /** Files left by an earlier daemon do not belong to a page any more. */
  async #emptyFolder(): Promise<string> {
    const folder = join(await this.#machineFolder(), "uploads");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}
