/** What `npm test` says at its end: what failed and why, and the numbers in the last line. */
export function toSummary({ passed, skipped, failures }) {
  const lines = failures.flatMap(describe);
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failures.length} failed`);
  return `${lines.join("\n")}\n`;
}

function describe({ name, reason, isUnsteady }) {
  const what = isUnsteady ? "Failed (unsteady: passes alone)" : "Failed";
  const lines = reason ? reason.split("\n").map((line) => `    ${line}`) : [];
  return [`${what}: ${name}`, ...lines];
}
