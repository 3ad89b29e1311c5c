import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PromptImage } from "@gantry/agent-kit";
import { errors } from "../errors.ts";

/** A picture of a queued message, in a file because it is too large for the store. */
export interface StoredImage {
  mimeType: string;
  file: string;
}

export const IMAGE_TYPES = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
] as const;
const LOST_IMAGE =
  "A picture of this message cannot be read any more; send the message again.";
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

/** Stores the pictures of queued messages as files. */
export class Attachments {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(folder: string): Promise<Attachments> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Attachments(folder);
  }

  /** Writes the pictures of a task to disk. Validate them with {@link checkImages} first. */
  async store(
    taskId: string,
    images: readonly PromptImage[],
  ): Promise<StoredImage[]> {
    return await Promise.all(
      images.map(async ({ mimeType, data }, index) => {
        const file = `${taskId}-${index}`;
        const handle = await open(join(this.#folder, file), "wx", 0o600);
        try {
          await handle.writeFile(data, "base64");
          await handle.sync();
        } finally {
          await handle.close();
        }
        return { mimeType, file };
      }),
    );
  }

  /** Reads pictures. Rejects with a message for the user if one is missing. */
  async load(images: readonly StoredImage[]): Promise<PromptImage[]> {
    return await Promise.all(
      images.map(async ({ mimeType, file }) => {
        const path = join(this.#folder, file);
        const data = await readFile(path, "base64").catch((cause: unknown) => {
          throw new Error(LOST_IMAGE, { cause });
        });
        return { mimeType, data };
      }),
    );
  }

  async remove(images: readonly Pick<StoredImage, "file">[]): Promise<void> {
    await Promise.all(
      images.map(({ file }) => rm(join(this.#folder, file), { force: true })),
    );
  }

  /** All stored files, with the task that each belongs to. */
  async list(): Promise<{ file: string; taskId: string }[]> {
    const files = await readdir(this.#folder);
    return files.map((file) => ({
      file,
      taskId: file.slice(0, Math.max(0, file.lastIndexOf("-"))),
    }));
  }
}

/** @throws AGENT_IMAGE_INVALID for the first picture that is not base64, empty or too large */
export function checkImages(images: readonly PromptImage[]): void {
  for (const [index, { data }] of images.entries()) {
    const isBase64 =
      /^[A-Za-z0-9+/]+={0,2}$/.test(data) && data.length % 4 === 0;
    if (!isBase64 || Buffer.byteLength(data, "base64") > MAX_IMAGE_BYTES)
      throw errors.AGENT_IMAGE_INVALID({ index: index + 1 });
  }
}
