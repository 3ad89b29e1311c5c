import { isThorough } from "@gantry/build/testing";
import { test } from "vitest";
import { surviveKills } from "../support/kill-nine/survive-kills.ts";

const ROUNDS = isThorough ? 20 : 2;

test(`${ROUNDS} kills lose nothing that was acknowledged and leave nothing behind`, () =>
  surviveKills(ROUNDS));
