import type { Row } from "../measure/row.ts";

/** How to measure. */
export interface BenchSettings {
  /** How often each thing is measured. */
  rounds: number;
  /** How long each takes under load. */
  seconds: number;
  /** Whether a home that takes minutes to fill is to be a small one; its figures say less. */
  isQuick: boolean;
  /** Aborts when the user interrupts the run. Then it rejects, with nothing left behind. */
  signal: AbortSignal;
  /** Says how far it is. */
  say(text: string): void;
}

/** Something that is measured. */
export interface Bench {
  /** For `--only`. */
  name: string;
  title: string;
  /** It is skipped where there is no Chromium. */
  needsBrowser?: true;
  run(settings: BenchSettings): Promise<Row[]>;
}
