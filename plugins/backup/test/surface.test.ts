import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import { startBackup } from "./support/backup-bench.ts";

interface Document {
  paths: Record<
    string,
    Record<string, { tags: string[]; responses: Record<string, unknown> }>
  >;
}

test("the document has the seven operations", async () => {
  await using bench = await startBackup({ hasFolder: false });
  const { body } = await bench.kernel.api.get<Document>("/api/openapi.json");
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes("backup"))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual([
    "DELETE /api/backup/snapshots/{id}",
    "GET /api/backup",
    "GET /api/backup/snapshots",
    "POST /api/backup/now",
    "POST /api/backup/restore",
    "POST /api/backup/reveal",
    "PUT /api/backup",
  ]);
});

test("codes and statuses stay what they are", () => {
  const statuses = Object.fromEntries(
    Object.entries(errors.definitions).map(([code, { status }]) => [
      code,
      status,
    ]),
  );
  expect(statuses).toEqual({
    BACKUP_SNAPSHOT_NOT_FOUND: 404,
    BACKUP_FOLDER_MISSING: 409,
    BACKUP_FOLDER_INVALID: 400,
    BACKUP_FOLDER_UNAVAILABLE: 503,
    BACKUP_DISK_FULL: 507,
    BACKUP_BUSY: 409,
    BACKUP_SECRETS_PLAIN: 400,
    BACKUP_PASSPHRASE_MISSING: 400,
    BACKUP_PASSPHRASE_WRONG: 400,
    BACKUP_SNAPSHOT_INVALID: 400,
    BACKUP_SNAPSHOT_CORRUPT: 400,
    BACKUP_SNAPSHOT_TOO_LARGE: 413,
    BACKUP_SNAPSHOT_TOO_NEW: 400,
    BACKUP_REHEARSAL_FAILED: 502,
    BACKUP_RESTORE_FAILED: 500,
    BACKUP_RESTORE_UNFINISHED: 503,
    BACKUP_ONLY_UNKNOWN: 400,
    BACKUP_PATH_TAKEN: 409,
    BACKUP_LAST_GOOD: 409,
  });
});
