import { join } from "node:path";
import { expect, test } from "vitest";
import {
  auditFiles,
  openTestAudit,
  recordMany,
  tamper,
} from "../../../system/test/support/audit.ts";
import { runGantry } from "../../../core/test/support/daemon.ts";
import { temporaryFolder } from "@gantry/build/testing";
import { mkdir } from "node:fs/promises";

async function writeHome() {
  const home = await temporaryFolder();
  const folder = join(home, "audit");
  await mkdir(folder);
  const { audit } = await openTestAudit({ folder });
  await recordMany(audit, 5);
  await audit.record("session.made", { device: "Phone \u001b[31m\nnext" });
  await audit.close();
  return { home, folder };
}

test("a whole log is said to be intact, with where it ends", async () => {
  const { home } = await writeHome();
  const { code, stdout } = await runGantry(["audit", "verify", "--home", home]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /intact: 6 entries, .*the last entry has the hash [\w-]{43}/s,
  );
});

test("the first line that is wrong is named, and the exit code is 1", async () => {
  const { home, folder } = await writeHome();
  const [name] = await auditFiles(folder);
  await tamper(folder, name!, (content) =>
    Buffer.from(content.toString().replace('"number":3', '"number":7')),
  );
  const { code, stdout } = await runGantry(["audit", "verify", "--home", home]);
  expect(code).toBe(1);
  expect(stdout).toContain(`${name}, line 3: it was changed`);
  const json = await runGantry(["audit", "verify", "--home", home, "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    state: "broken",
    file: name,
    line: 3,
  });
});

test("the newest entries are shown, one a line, and nothing in them reaches the terminal as it is", async () => {
  const { home } = await writeHome();
  const { stdout } = await runGantry([
    "audit",
    "tail",
    "--home",
    home,
    "--lines",
    "2",
  ]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("probe.done");
  expect(lines[1]).toMatch(
    /kernel\s+session\.made\s+device="Phone \\u001b\[31m\\nnext"/,
  );
  const json = await runGantry(["audit", "tail", "--home", home, "--json"]);
  expect(
    json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toHaveLength(6);
});

test("where there is no log yet, it says so", async () => {
  const home = await temporaryFolder();
  const { code, stdout } = await runGantry(["audit", "verify", "--home", home]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "There is no audit log yet.\n",
  });
});
