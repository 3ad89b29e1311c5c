import type { Box } from "../live/viewMessages.ts";
import type { Size } from "../live/viewport.ts";

/** Space around the element in its picture, in CSS pixels. */
const MARGIN = 8;
const MAX_SIDE = 1_600;
/** Characters of a data URL: two thirds of what an annotation takes. */
const MAX_LENGTH = 1_900_000;

/** The part of the picture that is cut out, in its own pixels; `undefined` if the box is outside of the picture. */
export function toCrop(
  picture: Size,
  page: Size,
  { x, y, width, height }: Box,
): Box | undefined {
  const scale = picture.width / page.width;
  const clamp = (at: number, max: number) =>
    Math.round(Math.min(max, Math.max(0, at * scale)));
  const left = clamp(x - MARGIN, picture.width);
  const top = clamp(y - MARGIN, picture.height);
  const crop = {
    ...{ x: left, y: top },
    width: clamp(x + width + MARGIN, picture.width) - left,
    height: clamp(y + height + MARGIN, picture.height) - top,
  };
  return crop.width > 0 && crop.height > 0 ? crop : undefined;
}

/** Cuts an element out of the picture of its page, as the data URL of a JPEG; `null` if it is not in the picture. */
export function cropPicture(
  picture: HTMLCanvasElement,
  page: Size,
  box: Box,
): string | null {
  const crop = toCrop(picture, page, box);
  if (!crop) return null;
  const { x, y, width, height } = crop;
  const factor = Math.min(1, MAX_SIDE / width, MAX_SIDE / height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * factor));
  canvas.height = Math.max(1, Math.round(height * factor));
  canvas
    .getContext("2d", { alpha: false })
    ?.drawImage(
      picture,
      ...([x, y, width, height, 0, 0, canvas.width, canvas.height] as const),
    );
  for (const quality of [0.92, 0.7, 0.4]) {
    const url = canvas.toDataURL("image/jpeg", quality);
    if (url.length <= MAX_LENGTH) return url;
  }
  return null;
}
