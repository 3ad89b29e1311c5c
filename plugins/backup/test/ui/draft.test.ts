import { describe, expect, test } from "vitest";
import type { State, System } from "../../ui/wire.ts";
import {
  findProblems,
  isChanged,
  toDraft,
  toInput,
  toUserFolder,
} from "../../ui/setup/draft.ts";
import type { Draft } from "../../ui/setup/draft.ts";
import { suggestFolders } from "../../ui/setup/suggestFolders.ts";

const state: State = {
  settings: {
    folder: "/mnt/disk",
    everyMinutes: 60,
    keepDays: 30,
    keepsWeekly: true,
    includeTranscripts: true,
    includeSecrets: false,
  },
  isEncrypted: false,
  hasKey: false,
  job: null,
  snapshots: 0,
  otherHomes: [],
  totalBytes: 0,
  freeBytes: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  nextSnapshotAt: null,
  problem: null,
  lastRestore: null,
};
const encrypted: State = {
  ...state,
  isEncrypted: true,
  hasKey: true,
  settings: { ...state.settings, includeSecrets: true },
};
const system: System = { home: "/home/ada/.gantry", platform: "linux x64" };

const problemsWith = (changes: Partial<Draft>, of: State = state) =>
  findProblems({ ...toDraft(of), ...changes }, system);
const inputWith = (changes: Partial<Draft>, of: State = state) =>
  toInput({ ...toDraft(of), ...changes }, of, system);

describe("the folder", () => {
  test.each([
    ["", /Enter a folder/],
    ["   ", /full path/],
    ["backups", /full path/],
    [" /mnt/disk", /full path/],
    ["./backups", /full path/],
    ["/home/ada/.gantry", /inside Gantry's own folder/],
    ["/home/ada/.gantry/", /inside Gantry's own folder/],
    ["~/.gantry/backups", /inside Gantry's own folder/],
  ])("%j is refused with a reason", (folder, reason) => {
    expect(problemsWith({ folder }).folder).toMatch(reason);
  });

  test.each([
    ["/mnt/disk", "/mnt/disk"],
    ["/mnt/disk/", "/mnt/disk"],
    ["/mnt/my disk ", "/mnt/my disk "],
    ["/", "/"],
    ["~/Backups", "/home/ada/Backups"],
    ["~", "/home/ada"],
    ["/home/ada/.gantry-backups", "/home/ada/.gantry-backups"],
    [String.raw`D:\Backups`, String.raw`D:\Backups`],
  ])("%j is sent as %j", (folder, sent) => {
    expect(problemsWith({ folder }).folder).toBeUndefined();
    expect(inputWith({ folder }).folder).toBe(sent);
  });

  test("is suggested where people keep things on such a system", () => {
    expect(toUserFolder(system)).toBe("/home/ada");
    expect(suggestFolders(system).map(({ path }) => path)).toEqual([
      "/home/ada/Backups",
      "/media/ada/",
      "/mnt/",
    ]);
    const mac = { home: "/Users/ada/.gantry", platform: "darwin arm64" };
    expect(suggestFolders(mac).map(({ path }) => path)).toEqual([
      "/Users/ada/Backups",
      "/Volumes/",
    ]);
    // A home that says nothing of its user.
    expect(suggestFolders({ home: "/srv/gantry", platform: "linux" })).toEqual(
      [],
    );
    expect(suggestFolders(undefined)).toEqual([]);
  });
});

describe("times", () => {
  test.each([14, 0, -60, 15.5, "" as unknown as number, Number.NaN])(
    "every %j minutes is refused",
    (everyMinutes) => {
      expect(problemsWith({ everyMinutes }).everyMinutes).toMatch(/15 minutes/);
    },
  );

  test.each([0, 3651, 1.5])("%j days are refused", (keepDays) => {
    expect(problemsWith({ keepDays }).keepDays).toMatch(/1 to 3650/);
  });

  test("the ends of what is allowed are allowed", () => {
    expect(problemsWith({ everyMinutes: 15, keepDays: 3650 })).toEqual({});
    expect(problemsWith({ keepDays: 1 })).toEqual({});
  });
});

describe("the passphrase", () => {
  const given = {
    isEncrypted: true,
    givesPassphrase: true,
    passphrase: "correct horse",
    repeated: "correct horse",
    isKept: true,
  };

  test("is long enough, repeated, and said to be kept", () => {
    expect(problemsWith(given)).toEqual({});
    expect(
      problemsWith({ ...given, passphrase: "short", repeated: "short" }),
    ).toEqual({
      passphrase: "Enter 8 characters or more.",
    });
    expect(problemsWith({ ...given, repeated: "Correct horse" })).toEqual({
      repeated: "This is not the same passphrase.",
    });
    expect(problemsWith({ ...given, isKept: false })).toHaveProperty("isKept");
  });

  test("is sent as it is, and not at all where none is given", () => {
    expect(inputWith({ ...given, passphrase: " blanks " }).passphrase).toBe(
      " blanks ",
    );
    expect(inputWith({})).not.toHaveProperty("passphrase");
    expect(inputWith({}, encrypted)).not.toHaveProperty("passphrase");
  });

  test("is taken away with null, and takes the secrets with it", () => {
    expect(inputWith({ isEncrypted: false }, encrypted)).toMatchObject({
      passphrase: null,
      includeSecrets: false,
    });
    // One that was typed before encryption was switched off again is not sent.
    expect(inputWith({ ...given, isEncrypted: false })).not.toHaveProperty(
      "passphrase",
    );
  });
});

test("a draft is changed once saving it would change something", () => {
  const changed = (changes: Partial<Draft>, of: State = state) =>
    isChanged({ ...toDraft(of), ...changes }, of);
  expect(changed({})).toBe(false);
  expect(changed({}, encrypted)).toBe(false);
  expect(changed({ folder: "/mnt/disk/" })).toBe(false);
  expect(changed({ folder: "/mnt/other" })).toBe(true);
  expect(changed({ keepsWeekly: false })).toBe(true);
  expect(changed({ givesPassphrase: true }, encrypted)).toBe(true);
  expect(changed({ isEncrypted: false }, encrypted)).toBe(true);
});
