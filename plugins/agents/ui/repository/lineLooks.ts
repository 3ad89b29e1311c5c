import type { NumberedLine } from "./parsePatch.ts";

type BySign = Readonly<Record<NumberedLine["sign"], string>>;

/** Classes of a line by its sign. */
export const lineColors: BySign = {
  "+": "bg-success/10 text-default",
  "-": "bg-error/10 text-default",
  " ": "text-muted",
  "@": "bg-muted text-muted",
};
/** Of the part of it that changed, which has no other colours: few can be read on it. */
export const strongColors: BySign = {
  "+": "rounded-xs bg-success/25 text-highlighted",
  "-": "rounded-xs bg-error/25 text-highlighted",
  " ": "",
  "@": "",
};
/** Of its sign. */
export const signColors: BySign = {
  "+": "text-success",
  "-": "text-error",
  " ": "",
  "@": "",
};
/** The sign as it is read aloud. */
export const signWords: BySign = {
  "+": "added: ",
  "-": "removed: ",
  " ": "",
  "@": "",
};
