import type { Tone } from "../tone.ts";

/** Colour of text in each tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  neutral: "text-muted",
  active: "text-primary",
  attention: "text-warning",
  success: "text-success",
  failed: "text-error",
};

/** Colour of a dot in each tone. */
export const toneDot: Readonly<Record<Tone, string>> = {
  neutral: "bg-accented ring-1 ring-inset ring-(--ui-text-dimmed)/40",
  active: "bg-primary",
  attention: "bg-warning",
  success: "bg-success",
  failed: "bg-error",
};

/** A quiet background in each tone, with text on it. */
export const tonePill: Readonly<Record<Tone, string>> = {
  neutral: "bg-elevated text-toned",
  active: "bg-primary/10 text-primary",
  attention: "bg-warning/12 text-warning",
  success: "bg-success/10 text-success",
  failed: "bg-error/10 text-error",
};
