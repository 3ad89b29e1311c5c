import { runs } from "@gantry/build/testing";
import { test } from "vitest";
import { surviveKillsInBackups } from "../support/backup-kills/survive-kills-in-backups.ts";
import { surviveKillsInRestores } from "../support/backup-kills/survive-kills-in-restores.ts";

test(
  "a few kills while snapshots are made leave none that is half, and lose none",
  { tags: "thorough" },
  async () => {
    await surviveKillsInBackups(runs(8));
  },
);

test(
  "a few kills while a snapshot is restored leave all of it or nothing of it",
  { tags: "thorough" },
  async () => {
    await surviveKillsInRestores(runs(10));
  },
);
