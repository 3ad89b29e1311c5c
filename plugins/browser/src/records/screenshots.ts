import { readdir, readFile, rm, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";

/** Largest picture of an annotation. */
export const MAX_SCREENSHOT_BYTES = 2 * 1024 * 1024;

/** A picture with its media type. */
export interface Picture {
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  bytes: Uint8Array;
}

/** Pictures of annotations, as files. */
export interface Screenshots {
  /** Writes the picture of an annotation. @throws `BROWSER_DISK_FULL` (507) */
  write(id: string, picture: Picture): Promise<void>;
  /** @returns `undefined` if there is none */
  read(id: string): Promise<Picture | undefined>;
  /** Removes a picture. Never rejects: a file that could not be removed is removed at the next start. */
  remove(id: string): Promise<void>;
  /** Removes pictures without an annotation, which a crash can leave behind. */
  sweep(isKept: (id: string) => Promise<boolean>): Promise<void>;
}

/** Opens the folder of pictures. */
export async function openScreenshots(folder: string): Promise<Screenshots> {
  const place = join(folder, "screenshots");
  await mkdir(place, { recursive: true, mode: 0o700 });
  const pathOf = (id: string) => join(place, id);
  const remove = (id: string) =>
    rm(pathOf(id), { force: true }).catch(() => undefined);

  return {
    async write(id, { bytes }) {
      try {
        await writeFile(pathOf(id), bytes, { mode: 0o600, flush: true });
      } catch (cause) {
        await remove(id);
        const { code } = cause as NodeJS.ErrnoException;
        if (code === "ENOSPC" || code === "EDQUOT")
          throw errors.BROWSER_DISK_FULL({}, { cause });
        throw cause;
      }
    },
    async read(id) {
      try {
        return toPicture(await readFile(pathOf(id)));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === "ENOENT")
          return undefined;
        throw cause;
      }
    },
    remove,
    async sweep(isKept) {
      for (const id of await readdir(place))
        if (!(await isKept(id))) await remove(id);
    },
  };
}

const starts = (bytes: Uint8Array, text: string, at = 0) =>
  Buffer.from(bytes.subarray(at, at + text.length)).toString("latin1") === text;

/** The media type by the first bytes; `undefined` for anything but PNG, JPEG and WebP. */
export function toPicture(bytes: Uint8Array): Picture | undefined {
  if (starts(bytes, "\x89PNG\r\n\x1a\n"))
    return { mediaType: "image/png", bytes };
  if (starts(bytes, "\xff\xd8\xff")) return { mediaType: "image/jpeg", bytes };
  return starts(bytes, "RIFF") && starts(bytes, "WEBP", 8)
    ? { mediaType: "image/webp", bytes }
    : undefined;
}

/**
 * Reads a data URL of a picture.
 *
 * @returns `undefined` if it is not a data URL, is larger than 2 MiB, or its content is not of the declared type
 */
export function readPicture(dataUrl: string): Picture | undefined {
  const parts =
    /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/u.exec(
      dataUrl,
    );
  if (!parts) return undefined;
  const bytes = Buffer.from(parts[2] ?? "", "base64");
  if (bytes.length > MAX_SCREENSHOT_BYTES) return undefined;
  const picture = toPicture(bytes);
  return picture?.mediaType === parts[1] ? picture : undefined;
}
