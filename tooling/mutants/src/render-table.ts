/** The result of one mutant. */
export interface Outcome {
  name: string;
  state: "killed" | "survived";
  /** The test that noticed, or the files of tests that did not. */
  by: string;
  ms: number;
}

const WIDEST = 90;

/** All outcomes as a table, and a line that counts them. */
export function renderTable(outcomes: readonly Outcome[]): string {
  const names = Math.max(...outcomes.map(({ name }) => name.length));
  const rows = outcomes.map(({ name, state, by, ms }) =>
    [
      state.padEnd(8),
      name.padEnd(names),
      `${(ms / 1000).toFixed(1)} s`.padStart(7),
      by.length > WIDEST ? `${by.slice(0, WIDEST - 1)}…` : by,
    ].join("  "),
  );
  const count = (wanted: Outcome["state"]) =>
    outcomes.filter(({ state }) => state === wanted).length;
  return [
    ...rows,
    "",
    `${count("killed")} killed, ${count("survived")} survived`,
  ].join("\n");
}
