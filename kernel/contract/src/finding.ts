/** One thing that is not as it should be, as the doctor shows it. */
export interface Finding {
  /** `high` needs a fix now, `medium` should be known, `low` is good to know. */
  severity: "high" | "medium" | "low";
  /** `AREA_REASON`, never renamed, since people watch for it. */
  code: string;
  /** What is so, in one sentence of plain text. */
  what: string;
  /** What to do about it, in one sentence of plain text. */
  fix: string;
}
