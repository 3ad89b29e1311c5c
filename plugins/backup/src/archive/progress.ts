/** How far work on a snapshot is. */
export interface Progress {
  step: "reading" | "writing" | "checking" | "staging";
  doneBytes: number;
  /** An estimate until all is known; `null` if there is none. */
  totalBytes: number | null;
}

/** Told often, as often as each piece: throttle it before it goes any further. */
export type OnProgress = (progress: Progress) => void;
