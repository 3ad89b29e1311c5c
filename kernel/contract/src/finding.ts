/** A problem that `gantry doctor` and its page report. */
export interface Finding {
  /** `high` needs a fix now, `medium` deserves attention, `low` is informational. */
  severity: "high" | "medium" | "low";
  /** `AREA_REASON`. Never renamed, since users and scripts match it. */
  code: string;
  /** The problem, in one sentence of plain text. */
  what: string;
  /** How to fix it, in one sentence of plain text. */
  fix: string;
}
