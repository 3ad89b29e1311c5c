import { defineCommand } from "citty";
import { toAscii } from "@gantry/audit/audit-entry";
import { readLatest } from "@gantry/audit/read-latest";
import { verifyAudit } from "@gantry/audit/verify-audit";
import type { AuditEntry } from "@gantry/audit/audit-entry";
import type { AuditVerdict } from "@gantry/audit/verify-audit";
import { UsageError } from "../command-line/usage-error.ts";
import { homeArgument, homeOf } from "./running-daemon.ts";

const jsonArgument = {
  json: { type: "boolean", description: "Print JSON" },
} as const;

const verify = defineCommand({
  meta: {
    name: "verify",
    description:
      "Find the first line that was changed, removed, moved or inserted; exits 1 if there is one",
  },
  args: { ...homeArgument, ...jsonArgument },
  async run({ args }) {
    const verdict = await verifyAudit(homeOf(args).audit);
    if (verdict.state === "broken") process.exitCode = 1;
    console.log(args.json ? JSON.stringify(verdict) : describe(verdict));
  },
});

const tail = defineCommand({
  meta: { name: "tail", description: "Show the newest entries" },
  args: {
    ...homeArgument,
    ...jsonArgument,
    lines: { type: "string", description: "How many (default 20)" },
  },
  async run({ args }) {
    const lines = args.lines ?? "20";
    if (!/^[1-9]\d{0,5}$/.test(lines))
      throw new UsageError(
        `The option "--lines" takes a number, not ${JSON.stringify(lines)}.`,
        "gantry audit tail",
      );
    for (const entry of await readLatest(homeOf(args).audit, Number(lines)))
      console.log(args.json ? toAscii(JSON.stringify(entry)) : render(entry));
  },
});

/** Shows and verifies the audit log. Needs no daemon. */
export const audit = defineCommand({
  meta: { name: "audit", description: "Show the audit log, and verify it" },
  subCommands: { verify, tail },
});

function describe(verdict: AuditVerdict): string {
  if (verdict.state === "broken") {
    const { file, line, reason } = verdict;
    const place = line > 0 ? `${file}, line ${line}` : file;
    return `The audit log is broken at ${place}: ${reason}.\nEverything before it is as it was written. To start a new log, move the folder away while no daemon is running.`;
  }
  const { entries, first, last } = verdict;
  if (!first || !last) return "There is no audit log yet.";
  return `The audit log is intact: ${entries} entries, number ${first.seq} of ${first.at} to ${last.seq} of ${last.at}.\nThe last entry has the hash ${last.hash}. Store it elsewhere to be able to detect that the whole log was rewritten.`;
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
