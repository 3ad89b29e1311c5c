import { runs } from "@gantry/build/testing";
import { test } from "vitest";
import { surviveKills } from "../support/kill-nine/survive-kills.ts";

const ROUNDS = runs(20);

test(`${ROUNDS} kills lose nothing that was acknowledged and leave nothing behind`, () =>
  surviveKills(ROUNDS));
