import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { NowAnswer } from "../src/routes/inputs.ts";
import { forgeManifest } from "./archive/forge.ts";
import { putRecord } from "./support/backup-bench.ts";
import { startCommands } from "./support/command-bench.ts";

/** A stopped home and a snapshot of it, with a record in version 1. */
async function makeOne() {
  const bench = await startCommands();
  await bench.save({});
  putRecord(bench.home, "snippets:snippet", "snp_a", { title: "One" });
  const { snapshot } = await bench.json<NowAnswer>("now");
  return { bench, ...snapshot };
}

const COMMANDS: [name: string, args: Record<string, string | boolean>][] = [
  ["restore", {}],
  ["restore", { yes: true }],
  ["restore", { yes: true, only: "snippets" }],
  ["verify", {}],
];

test("with the daemon stopped, records of a later schema are refused with both versions named", async () => {
  const { bench } = await makeOne();
  await using _ = bench;
  bench.home.rehearsedVersions = { "snippets:snippet": 0 };
  for (const [name, args] of COMMANDS)
    await expect(bench.run(name, args)).rejects.toMatchObject({
      code: "BACKUP_SNAPSHOT_TOO_NEW",
      message: expect.stringMatching(
        /"snippets:snippet" in version 1.*up to 0/,
      ) as string,
    });
  expect(bench.home.replacements).toEqual([]);
  expect(await readdir(join(bench.home.folder, "stages"))).toEqual([]);
});

test("with the daemon stopped, what a later version made is refused with both versions named", async () => {
  const { bench, path } = await makeOne();
  await using _ = bench;
  await forgeManifest(path, (manifest) => ({
    ...manifest,
    gantryVersion: "1.3.0",
  }));
  for (const [name, args] of COMMANDS)
    await expect(bench.run(name, args)).rejects.toThrow(
      /version 1\.3\.0.*1\.2\.3/,
    );
});

test("a new machine refuses records of a later schema too", async () => {
  const { bench } = await makeOne();
  await using _ = bench;
  await using machine = await startCommands();
  machine.home.rehearsedVersions = { "snippets:snippet": 0 };
  await expect(
    machine.run("restore", { folder: bench.folder }),
  ).rejects.toMatchObject({ code: "BACKUP_SNAPSHOT_TOO_NEW" });
});

test("where plugins cannot be started nothing is refused, and the output says so", async () => {
  const { bench } = await makeOne();
  await using _ = bench;
  const { rehearse } = bench.home;
  const unknown =
    "The records were not compared with what this version can read: The plugins cannot be started.";
  bench.home.rehearse = () =>
    Promise.reject(new Error("The plugins cannot be started."));
  expect(await bench.run("restore")).toContain(`Warning: ${unknown}`);
  expect(await bench.json("restore")).toMatchObject({ warning: unknown });
  expect(await bench.json("restore", { yes: true })).toMatchObject({
    ...{ ok: true, warning: unknown },
  });
  bench.home.rehearse = rehearse;
  expect((await bench.run("restore")).join("\n")).not.toContain("Warning");
});

test("a plugin that does not start is named, and its records are not refused", async () => {
  const { bench } = await makeOne();
  await using _ = bench;
  bench.home.rehearsedVersions = {};
  bench.home.rehearsed = [
    { id: "agents", state: "failed", reason: "odd" },
    { id: "snippets", state: "failed", reason: "odd" },
  ];
  const unknown =
    "The records of snippets were not compared with what this version can read, since the plugin does not start.";
  expect(await bench.run("restore")).toContain(`Warning: ${unknown}`);
});
