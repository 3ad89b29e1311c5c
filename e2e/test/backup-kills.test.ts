import { test } from "vitest";
import { surviveKillsInBackups } from "../support/backup-kills/survive-kills-in-backups.ts";
import { surviveKillsInRestores } from "../support/backup-kills/survive-kills-in-restores.ts";

test("a few kills while snapshots are made leave none that is half, and lose none", async () => {
  await surviveKillsInBackups(3);
});

test("a few kills while a snapshot is restored leave all of it or nothing of it", async () => {
  await surviveKillsInRestores(3);
});
