import type { ViewSize } from "./viewMessages.ts";

/** Sizes in which a page can be shown. */
export const PRESETS = {
  fit: { label: "Fit window", icon: "i-lucide-maximize" },
  desktop: { label: "Desktop", icon: "i-lucide-monitor" },
  tablet: { label: "Tablet", icon: "i-lucide-tablet" },
  phone: { label: "Phone", icon: "i-lucide-smartphone" },
} as const;
export type Preset = keyof typeof PRESETS;

export interface Size {
  width: number;
  height: number;
}

/** Maximum number of picture pixels per CSS pixel. */
const MAX_SCALE = 2;
const MIN_WIDTH = 240;
const MIN_HEIGHT = 160;
const MAX_WIDTH = 2_560;
const MAX_HEIGHT = 1_600;

const FIXED: Record<Exclude<Preset, "fit">, Size & { touch: boolean }> = {
  desktop: { width: 1280, height: 800, touch: false },
  tablet: { width: 820, height: 1180, touch: true },
  phone: { width: 390, height: 844, touch: true },
};

const clamp = (value: number, min: number, max: number) =>
  Math.round(Math.min(max, Math.max(min, value)));

/** The size of the page for an area of this size. */
export function toViewSize(
  preset: Preset,
  place: Size,
  screen: { pixelRatio: number; hasTouch: boolean },
): ViewSize {
  const scale = Math.min(MAX_SCALE, Math.max(1, screen.pixelRatio));
  if (preset !== "fit") {
    const fixed = FIXED[preset];
    return { ...fixed, scale: preset === "phone" ? MAX_SCALE : scale };
  }
  return {
    width: clamp(place.width, MIN_WIDTH, MAX_WIDTH),
    height: clamp(place.height, MIN_HEIGHT, MAX_HEIGHT),
    scale,
    touch: screen.hasTouch,
  };
}

/**
 * The size in which a picture is shown: as large as fits, but no larger than requested. With a zoom the page itself is
 * smaller.
 */
export function toShownSize(page: Size, place: Size, asked: Size): Size {
  const factor = Math.min(
    Math.max(1, asked.width / page.width),
    place.width / page.width,
    place.height / page.height,
  );
  return { width: page.width * factor, height: page.height * factor };
}
