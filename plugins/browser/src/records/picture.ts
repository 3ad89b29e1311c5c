import * as z from "zod";

/** Largest picture of an annotation. */
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;

const mediaType = z.enum(["image/png", "image/jpeg", "image/webp"]);

/** A picture as it is stored. */
export const picture = z.object({ mediaType, base64: z.string() });
export type Picture = z.infer<typeof picture>;

/** The first bytes of each format, in hexadecimal digits. WebP has its length from the fifth byte on. */
const SIGNATURES: Readonly<Record<Picture["mediaType"], RegExp>> = {
  "image/png": /^89504e470d0a1a0a/u,
  "image/jpeg": /^ffd8ff/u,
  "image/webp": /^52494646.{8}57454250/u,
};

/**
 * Reads a data URL of a picture (RFC 2397).
 *
 * @returns `undefined` if it is not a data URL of a PNG, JPEG or WebP, is larger than 2 MiB, or does not begin as the
 *   declared format does
 */
export function readPicture(dataUrl: string): Picture | undefined {
  const [, type, base64 = ""] =
    /^data:([a-z/]+);base64,([A-Za-z0-9+/]+={0,2})$/u.exec(dataUrl) ?? [];
  const { data: declared } = mediaType.safeParse(type);
  if (!declared) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const start = bytes.toString("hex", 0, 16);
  return bytes.length <= MAX_PICTURE_BYTES && SIGNATURES[declared].test(start)
    ? { mediaType: declared, base64 }
    : undefined;
}
