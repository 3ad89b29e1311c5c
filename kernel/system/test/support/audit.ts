import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openAudit } from "@gantry/system/audit/audit";
import type { Audit, AuditOptions } from "@gantry/system/audit/audit";
import { createFakeClock } from "../../../testing/src/index.ts";
import type { FakeClock } from "../../../testing/src/index.ts";
import { createRecordingLog } from "../../../store/test/support/store.ts";
import { temporaryFolder } from "@gantry/build/testing";

/** A log without a daemon round it. */
export async function openTestAudit(options: Partial<AuditOptions> = {}) {
  const folder = options.folder ?? (await temporaryFolder());
  const clock = (options.clock ?? createFakeClock()) as FakeClock;
  const log = createRecordingLog();
  const audit = await openAudit({
    folder,
    clock,
    log,
    redact: (text) => text,
    ...options,
  });
  onTestFinished(() => audit.close());
  return { folder, clock, log, audit };
}

/** Names of the log's files, the oldest first. */
export async function auditFiles(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => name.startsWith("audit-"))
    .sort();
}

/** Every line of a log, the oldest first. */
export async function auditLines(folder: string): Promise<string[]> {
  const texts = await Promise.all(
    (await auditFiles(folder)).map((name) =>
      readFile(join(folder, name), "utf8"),
    ),
  );
  return texts.flatMap((text) => text.split("\n").slice(0, -1));
}

/** Every entry of a log, as it stands in its files. */
export async function auditEntries(
  folder: string,
): Promise<
  { action: string; details: Record<string, unknown>; again?: number }[]
> {
  return (await auditLines(folder)).map((line) => JSON.parse(line) as never);
}

/** Changes one file of a log behind its back. */
export async function tamper(
  folder: string,
  name: string,
  change: (content: Buffer) => Uint8Array,
): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, change(await readFile(file)));
}

/** Writes `count` lines, one after the other. */
export async function recordMany(
  audit: Audit,
  count: number,
  from = 1,
): Promise<void> {
  for (let number = from; number < from + count; number++)
    await audit.record("probe.done", { number });
}
