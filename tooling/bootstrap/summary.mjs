/** What `npm test` says at its end: what failed and why, what is unsteady, and the numbers in the last line. */
export function toSummary({ passed, skipped, failures, unsteady }) {
  const lines = [
    ...unsteady.flatMap((failure) =>
      describe(
        "Unsteady (failed, and passed when its file ran again)",
        failure,
      ),
    ),
    ...failures.flatMap((failure) => describe("Failed", failure)),
  ];
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failures.length} failed`);
  return `${lines.join("\n")}\n`;
}

function describe(what, { name, reason }) {
  const lines = reason ? reason.split("\n").map((line) => `    ${line}`) : [];
  return [`${what}: ${name}`, ...lines];
}
