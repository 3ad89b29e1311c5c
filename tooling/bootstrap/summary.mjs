/**
 * What `npm test` says at its end: what failed or was unsteady and why, and the numbers in the last line. `left` is how
 * many tests only `npm run test:all` runs.
 */
export function toSummary({ passed, skipped, left, failures, unsteady }) {
  const lines = [
    ...unsteady.flatMap((one) =>
      describe("Unsteady (failed once, passes alone)", one),
    ),
    ...failures.flatMap((one) =>
      describe(one.passesAlone ? "Failed (passes alone)" : "Failed", one),
    ),
  ];
  if (unsteady.length > 0)
    lines.push(`${unsteady.length} unsteady, counted as passed: fix them`);
  if (left > 0) lines.push(`${left} left to \`npm run test:all\``);
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failures.length} failed`);
  return `${lines.join("\n")}\n`;
}

function describe(what, { name, reason }) {
  const lines = reason ? reason.split("\n").map((line) => `    ${line}`) : [];
  return [`${what}: ${name}`, ...lines];
}
