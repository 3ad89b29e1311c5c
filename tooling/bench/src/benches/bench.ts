import type { Row } from "../measure/row.ts";

/** How to measure. */
export interface BenchSettings {
  /** How often each thing is measured. */
  rounds: number;
  /** How long each takes under load. */
  seconds: number;
  /** Says how far it is. */
  say(text: string): void;
}

/** Something that is measured. */
export interface Bench {
  /** For `--only`. */
  name: string;
  title: string;
  run(settings: BenchSettings): Promise<Row[]>;
}
