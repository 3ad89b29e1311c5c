import { createCommand, createGroup } from "../command-line/create-command.ts";
import { toAscii } from "@gantry/system/audit/audit-entry";
import type { AuditEntry } from "@gantry/system/audit/audit-entry";
import { readLatest } from "@gantry/system/audit/audit-files";
import { UsageError } from "../command-line/usage-error.ts";
import { verifyAudit } from "@gantry/system/audit/verify-audit";
import type { AuditVerdict } from "@gantry/system/audit/verify-audit";
import { homeOf } from "./running-daemon.ts";

const jsonOption = {
  json: { type: "boolean", description: "Print JSON" },
} as const;

const verify = createCommand(
  "verify",
  "Find the first line that was changed, removed, moved or put in; exits 1 if there is one",
  jsonOption,
  async (args) => {
    const verdict = await verifyAudit(homeOf(args).audit);
    if (verdict.state === "broken") process.exitCode = 1;
    console.log(args.json ? JSON.stringify(verdict) : describe(verdict));
  },
);

const tail = createCommand(
  "tail",
  "Show the newest entries",
  {
    ...jsonOption,
    lines: { type: "string", description: "How many (default 20)" },
  },
  async (args) => {
    const lines = args.lines ?? "20";
    if (!/^[1-9]\d{0,5}$/.test(lines))
      throw new UsageError(
        `The option "--lines" takes a number, not ${JSON.stringify(lines)}.`,
        "gantry audit tail",
      );
    for (const entry of await readLatest(homeOf(args).audit, Number(lines)))
      console.log(args.json ? toAscii(JSON.stringify(entry)) : render(entry));
  },
);

/** Shows the audit log and proves it whole. Needs no daemon. */
export const audit = createGroup("audit", "Show the audit log, and verify it", [
  verify,
  tail,
]);

function describe(verdict: AuditVerdict): string {
  if (verdict.state === "broken") {
    const { file, line, reason } = verdict;
    const place = line > 0 ? `${file}, line ${line}` : file;
    return `The audit log is broken at ${place}: ${reason}.\nWhat stands before it is as it was written. To begin a new log, move the folder away while no daemon runs.`;
  }
  const { entries, first, last } = verdict;
  if (!first || !last) return "There is no audit log yet.";
  return `The audit log is intact: ${entries} entries, number ${first.seq} of ${first.at} to ${last.seq} of ${last.at}.\nNote the hash elsewhere to notice a log that was rewritten as a whole: the last entry has the hash ${last.hash}.`;
}

function render({ at, by, action, details, again }: AuditEntry): string {
  const time = new Date(at).toLocaleString("sv");
  const values = Object.entries(details).map(
    ([name, value]) => `${name}=${toAscii(JSON.stringify(value))}`,
  );
  const times = again === undefined ? [] : [`(${again} more)`];
  return [time, by.padEnd(12), action.padEnd(24), ...values, ...times]
    .join("  ")
    .trimEnd();
}
