import { runs } from "@gantry/build/testing";
import { test } from "vitest";
import { ACTS, type Act } from "../support/backup-kills/acts.ts";
import { surviveKillsIn } from "../support/backup-kills/survive-kills-in.ts";
import { surviveKillsInRestores } from "../support/backup-kills/survive-kills-in-restores.ts";

test.each(Object.keys(ACTS) as Act[])(
  'a few kills in "%s" lose no acknowledged write and no snapshot',
  { tags: "thorough" },
  async (act) => {
    await surviveKillsIn(act, runs(4));
  },
);

test(
  "a few kills while a snapshot is restored leave all of it or nothing of it",
  { tags: "thorough" },
  async () => {
    await surviveKillsInRestores(runs(10));
  },
);
