import { test } from "vitest";
import { surviveKills } from "../support/kill-nine/survive-kills.ts";

/** The long suite has 500. */
const ROUNDS = 8;

test(
  `${ROUNDS} kills lose nothing that was acknowledged and leave nothing behind`,
  () => surviveKills(ROUNDS),
  240_000,
);
