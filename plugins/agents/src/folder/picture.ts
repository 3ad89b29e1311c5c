import { errors } from "../errors.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { showPath } from "./folder-path.ts";
import { readSmall } from "./text-files.ts";

/** Largest picture that is given in one piece. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/** A picture with what it is. */
export interface Picture {
  path: string;
  mimeType: string;
  /** Base64. */
  data: string;
  bytes: number;
  mtime: number;
}

/** Reads a picture. What it is, its first bytes tell, not its name. @throws FILE_NOT_PICTURE, FILE_TOO_LARGE */
export async function readPicture(
  folder: AgentFolder,
  path: string,
): Promise<Picture> {
  const { data, mtime } = await readSmall(folder, path, MAX_PICTURE_BYTES);
  const mimeType = pictureType(data);
  if (!mimeType) throw errors.FILE_NOT_PICTURE({ path: showPath(path) });
  const base64 = data.toString("base64");
  return { path, mimeType, data: base64, bytes: data.length, mtime };
}

function pictureType(data: Buffer): string | undefined {
  const start = data.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  if (/^RIFF[^]{4}WEBP$/.test(start)) return "image/webp";
  if (/^[^]{4}ftypavi[fs]$/.test(start)) return "image/avif";
  return start.startsWith("BM") ? "image/bmp" : undefined;
}
