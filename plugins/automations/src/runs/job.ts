import type { Grant } from "../money/spending.ts";
import type { RunRecord } from "../wire/run.ts";
import type { RunOrder } from "./attempt.ts";

/** A run that passed the gates. */
export interface Job extends RunOrder {
  run: RunRecord;
  /** What it may cost. */
  grant: Grant;
}
