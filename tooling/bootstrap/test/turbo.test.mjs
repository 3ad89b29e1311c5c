import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeMachine, prepareCache } from "../turbo.mjs";
import { createFolder, write } from "./folder.mjs";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const DAY_MS = 24 * 3_600_000;
const modeOf = (path) => statSync(path).mode & 0o777;

it("has a private folder in the user's cache", () => {
  const home = createFolder();
  const folder = prepareCache({ HOME: home }, NOW);
  expect(folder).toBe(join(home, ".cache/gantry/turbo"));
  expect(modeOf(folder)).toBe(0o700);
  const other = join(home, "elsewhere");
  expect(prepareCache({ HOME: home, XDG_CACHE_HOME: other }, NOW)).toBe(
    join(other, "gantry/turbo"),
  );
});

it("takes a folder back that others can write into", () => {
  const home = createFolder();
  const folder = join(home, ".cache/gantry/turbo");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  prepareCache({ HOME: home }, NOW);
  expect(modeOf(folder)).toBe(0o700);
});

it("keeps results for two weeks", () => {
  const home = createFolder({
    ".cache/gantry/turbo/old.tar.zst": "old",
    ".cache/gantry/turbo/new.tar.zst": "new",
  });
  const pathOf = (name) => join(home, `.cache/gantry/turbo/${name}.tar.zst`);
  for (const [name, days] of [
    ["old", 15],
    ["new", 13],
  ]) {
    const time = (NOW - days * DAY_MS) / 1000;
    utimesSync(pathOf(name), time, time);
  }
  prepareCache({ HOME: home }, NOW);
  expect(existsSync(pathOf("old"))).toBe(false);
  expect(readFileSync(pathOf("new"), "utf8")).toBe("new");
});

it("tells machines apart by their browser, its path and its version", () => {
  const folder = createFolder();
  const browser = join(folder, "browser");
  const machineWith = (version) => {
    write(folder, "browser", `#!/bin/sh\necho ${version}\n`);
    return describeMachine(browser);
  };
  const machines = [
    describeMachine(undefined),
    machineWith("Chromium 1"),
    machineWith("Chromium 2"),
  ];
  expect(new Set(machines).size).toBe(3);
  expect(machineWith("Chromium 2")).toBe(machines[2]);
  expect(machines[0]).toMatch(/^[0-9a-f]{64}$/);
});
