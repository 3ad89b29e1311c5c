import { createHash } from "node:crypto";
import { mkdir, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { renderAuditLine } from "@gantry/system/audit/audit-entry";
import type { AuditEntry } from "@gantry/system/audit/audit-entry";
import { HEAD_FILE, readAuditLines } from "@gantry/system/audit/audit-files";
import {
  createAuditVerifier,
  verifyAudit,
} from "@gantry/system/audit/verify-audit";
import {
  auditFiles,
  auditLines,
  openTestAudit,
  recordMany,
  tamper,
} from "../support/audit.ts";

const SMALL = { fileBytes: 1024, files: 100 };

async function writeLog(count: number) {
  const { folder, audit } = await openTestAudit({ limits: SMALL });
  await recordMany(audit, count);
  await audit.close();
  const files = await auditFiles(folder);
  expect(files.length).toBeGreaterThan(2);
  return { folder, files };
}

test("an untouched log is intact, and says where it ends", async () => {
  const { folder } = await writeLog(20);
  const lines = await auditLines(folder);
  expect(await verifyAudit(folder)).toMatchObject({
    state: "intact",
    entries: 20,
    first: { seq: 1 },
    last: JSON.parse(lines.at(-1)!) as object,
  });
});

test("no log is no broken one", async () => {
  const { folder, audit } = await openTestAudit();
  await audit.close();
  await rm(folder, { recursive: true });
  expect(await verifyAudit(folder)).toMatchObject({
    state: "intact",
    entries: 0,
  });
});

describe.each([
  ["a link to nothing", (path: string) => symlink(`${path}.none`, path)],
  ["a link to itself", (path: string) => symlink(path, path)],
  ["a folder", (path: string) => mkdir(path)],
])("%s is found in the place of", (_, put) => {
  test.each([
    ["the oldest file", (files: string[]) => files[0]!],
    ["the newest file", (files: string[]) => files.at(-1)!],
    ["the head", () => HEAD_FILE],
  ])("%s", async (__, choose) => {
    const { folder, files } = await writeLog(20);
    const file = choose(files);
    await rm(join(folder, file));
    await put(join(folder, file));
    expect(await verifyAudit(folder)).toMatchObject({
      state: "broken",
      file,
      line: 0,
    });
  });
});

test("any flipped bit is found, in the line where it is", async () => {
  const { folder, files } = await writeLog(20);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.nat(7),
      async (fileAt, byteAt, bit) => {
        const name = files[fileAt % files.length]!;
        let line = 0;
        let original: Buffer = Buffer.alloc(0);
        await tamper(folder, name, (content) => {
          original = Buffer.from(content);
          const at = byteAt % content.length;
          line =
            content.subarray(0, at).filter((byte) => byte === 10).length + 1;
          content[at]! ^= 1 << bit;
          return content;
        });
        const verdict = await verifyAudit(folder);
        await tamper(folder, name, () => original);
        expect(verdict).toMatchObject({ state: "broken", file: name });
        // A line end that is flipped makes the line after it a part of the same line.
        expect(verdict).toHaveProperty("line", line);
      },
    ),
    { numRuns: runs(300) },
  );
  expect(await verifyAudit(folder)).toMatchObject({ state: "intact" });
});

type Lines = string[];
const edits: Record<
  string,
  (lines: Lines, at: number, other: number) => Lines
> = {
  removed: (lines, at) => lines.toSpliced(at, 1),
  doubled: (lines, at) => lines.toSpliced(at, 0, lines[at]!),
  "put in": (lines, at, other) => lines.toSpliced(at, 0, lines[other]!),
  "put in empty": (lines, at) => lines.toSpliced(at, 0, ""),
  "put in elsewhere": (lines, at) => [...lines, lines[at]!],
  swapped: (lines, at, other) =>
    lines.with(at, lines[other]!).with(other, lines[at]!),
  "cut off": (lines, at) => lines.slice(0, at),
  replaced: (lines, at, other) => lines.with(at, lines[other]!),
};

test.each(Object.keys(edits))("a line that was %s is found", async (name) => {
  const { folder, files } = await writeLog(20);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.nat(),
      fc.nat(),
      async (fileAt, at, other) => {
        const file = files[fileAt % files.length]!;
        let original: Buffer = Buffer.alloc(0);
        let isChanged = false;
        await tamper(folder, file, (content) => {
          original = Buffer.from(content);
          const lines = content.toString("latin1").split("\n").slice(0, -1);
          const edited = edits[name]!(
            lines,
            at % lines.length,
            other % lines.length,
          );
          isChanged = edited.join("\n") !== lines.join("\n");
          return Buffer.from(
            edited.map((line) => `${line}\n`).join(""),
            "latin1",
          );
        });
        const verdict = await verifyAudit(folder);
        await tamper(folder, file, () => original);
        expect(verdict.state).toBe(isChanged ? "broken" : "intact");
      },
    ),
    { numRuns: runs(60) },
  );
});

test("a line that was rewritten, with a hash that fits it, is found by the line after it or by the head", async () => {
  for (const at of [0, 3, -1]) {
    const { folder, files } = await writeLog(20);
    const name = files.at(-1)!;
    await tamper(folder, name, (content) => {
      const lines = content.toString().split("\n").slice(0, -1);
      const index = at < 0 ? lines.length - 1 : Math.min(at, lines.length - 1);
      const {
        seq,
        prev,
        hash: _,
        ...entry
      } = JSON.parse(lines[index]!) as AuditEntry;
      const forged = { ...entry, details: { number: 4711 } };
      lines[index] = renderAuditLine(forged, { seq: seq - 1, hash: prev }).line;
      return Buffer.from(lines.map((line) => `${line}\n`).join(""));
    });
    expect(await verifyAudit(folder)).toMatchObject({
      state: "broken",
      file: name,
    });
  }
});

test("a whole file that is removed or swapped is found, the last one too", async () => {
  for (const at of [0, 1, -1]) {
    const { folder, files } = await writeLog(20);
    await rm(join(folder, files.at(at)!));
    expect(await verifyAudit(folder)).toMatchObject({ state: "broken" });
  }
  const { folder, files } = await writeLog(20);
  const [one, other] = files.map((name) => join(folder, name));
  await rename(one!, `${one}.tmp`);
  await rename(other!, one!);
  await rename(`${one}.tmp`, other!);
  expect(await verifyAudit(folder)).toMatchObject({
    state: "broken",
    file: files[0],
    line: 1,
  });
});

test("a head that is gone or says nothing is found", async () => {
  const { folder } = await writeLog(20);
  await tamper(folder, "head.json", () => Buffer.from("{}"));
  expect(await verifyAudit(folder)).toMatchObject({
    state: "broken",
    file: "head.json",
  });
  await rm(join(folder, "head.json"));
  expect(await verifyAudit(folder)).toMatchObject({
    state: "broken",
    file: "head.json",
  });
});

test("it is intact at every moment while it is written and its oldest files are dropped", async () => {
  const { folder, audit } = await openTestAudit({
    limits: { fileBytes: 2048, files: 3 },
  });
  let isWriting = true;
  const writing = recordMany(audit, 300).finally(() => (isWriting = false));
  let looks = 0;
  for (; isWriting; looks++)
    expect(await verifyAudit(folder)).toMatchObject({ state: "intact" });
  await writing;
  expect(looks).toBeGreaterThan(3);
});

test("a line that is no JSON is found, whatever its hash says", async () => {
  const { folder, audit } = await openTestAudit({ limits: SMALL });
  await recordMany(audit, 3);
  await audit.close();
  const [name = ""] = await auditFiles(folder);
  await tamper(folder, name, (content) => {
    const [first = ""] = content.toString("latin1").split("\n");
    const body = first.replace(/,"hash":.*/, "").replace('"by"', "by");
    const hash = createHash("sha256").update(`${body}}`).digest("base64url");
    return Buffer.from(`${body},"hash":"${hash}"}\n`);
  });
  expect(await verifyAudit(folder)).toMatchObject({ state: "broken", line: 1 });
});

/** A verifier that says which files it reads. */
function createWatchedVerifier(folder: string) {
  let read: number[] = [];
  const verify = createAuditVerifier(folder, (at, number) => {
    read.push(number);
    return readAuditLines(at, number);
  });
  return {
    verify,
    takeRead() {
      const numbers = read;
      read = [];
      return numbers;
    },
  };
}

test("a second look reads only the newest file, and those that were changed", async () => {
  const { folder, files } = await writeLog(40);
  const { verify, takeRead } = createWatchedVerifier(folder);
  const newest = files.length;
  const first = await verify();
  expect(takeRead()).toHaveLength(newest);
  expect(await verify()).toEqual(first);
  expect(takeRead()).toEqual([newest]);
  await tamper(folder, files[1]!, (content) => content);
  expect(await verify()).toEqual(first);
  expect(takeRead()).toEqual([2, newest]);

  const { audit } = await openTestAudit({ folder, limits: SMALL });
  await recordMany(audit, 20);
  await audit.close();
  const later = await verify();
  expect(later).toEqual(await verifyAudit(folder));
  expect(Math.min(...takeRead())).toBe(newest);
});

test("what is changed behind a look is found by the next one, also if the file looks as old as before", async () => {
  const { folder, files } = await writeLog(30);
  const { verify } = createWatchedVerifier(folder);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(7), async (at, byte, bit) => {
      expect(await verify()).toMatchObject({ state: "intact" });
      const name = files[at % files.length]!;
      const path = join(folder, name);
      const { atime, mtime } = await stat(path);
      let original = Buffer.alloc(0);
      await tamper(folder, name, (content) => {
        original = Buffer.from(content);
        content[byte % content.length]! ^= 1 << bit;
        return content;
      });
      await utimes(path, atime, mtime);
      expect(await verify()).toEqual(await verifyAudit(folder));
      expect(await verify()).toMatchObject({ state: "broken" });
      await tamper(folder, name, () => original);
    }),
    { numRuns: runs(40) },
  );
});
