import type { LeafTone } from "../wire.ts";

/** Colours of the kit's charts. */
export type SeriesColour =
  "primary" | "second" | "success" | "attention" | "failed" | "neutral";

/** Colours that mean nothing but that series are different ones. */
const plain: readonly SeriesColour[] = ["primary", "second", "neutral"];

/** Colours of series: what a tone means, and for those without a meaning one that tells them apart. */
export function seriesColours(tones: readonly LeafTone[]): SeriesColour[] {
  let next = 0;
  return tones.map((tone) => {
    if (tone !== "neutral") return tone;
    const colour = plain[next % plain.length]!;
    next += 1;
    return colour;
  });
}
