import { isThorough, runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toLine, toText, toWebUrl } from "../src/records/texts.ts";
import { anyText } from "./support/any-text.ts";
import {
  bodyOf,
  BODIES,
  PIXEL,
  startRecords,
} from "./support/start-records.ts";

interface Problem {
  code: string;
  errors: { path: string }[];
}

const DOWNLOAD_ID = `dwn_${"a".repeat(24)}`;
/** All operations with a body, each with a valid one that has all of its fields. */
const operations: Readonly<Record<string, object>> = {
  "/downloads/clear": {},
  "/downloads/status": {
    ...{ id: DOWNLOAD_ID, state: "failed", problem: "The disk is full." },
    ...{ receivedBytes: 1, totalBytes: 2 },
  },
  "/history/clear": { since: "2999-01-01T00:00:00.000Z" },
  "/history/delete": { ids: [`vis_${"a".repeat(24)}`] },
  "/permissions/clear": {},
  "/permissions/prune": { days: 3650 },
  ...BODIES,
  "/annotations": bodyOf("/annotations", { screenshot: PIXEL }),
};

/** What is no web address, in whichever field. */
const ADDRESSES = [
  "javascript:alert(1)",
  " jAvAsCrIpT:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "blob:https://example.com/1",
  "chrome://settings",
  "ftp://example.com/",
  "//evil.example",
  "https://",
  "https://exa mple/",
  "https://example.com/\u0000",
  "https://example.com/\n",
  "https://example.com/\u202egnp.exe",
  "https://exam\u200bple.com/",
  "https://example.com/\ud800",
  `https://example.com/${"a".repeat(2029)}`,
  `https://example.com/${"\u00e4".repeat(1000)}`,
];
const VALUES: readonly unknown[] = [
  ...ADDRESSES,
  "https://user:secret@example.com/",
  "<img src=x onerror=window.__xss=1>",
  "\u0000",
  "a\u0000b\u001b[2J",
  "\u202egnp.exe",
  "\u200b\u2060",
  "\ud800",
  "../../etc/passwd",
  "C:\\Windows\\a.exe",
  "..",
  "__proto__",
  "x".repeat(2049),
  "x".repeat(100_000),
  "",
  "9999-99-99T99:99:99Z",
  "-000001-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "2026-03-02",
  ...[null, true, -1, 0.5, 2 ** 53, 1e308, [], [[]], {}, { toString: 1 }],
];

const LISTS = Object.keys(BODIES);
// eslint-disable-next-line no-control-regex -- those are what must not be stored
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800]/u;

test("hostile values in every field are refused by the field's name, or stored as harmless text", async () => {
  await using bench = await startRecords();
  const fields = Object.entries(operations).flatMap(([path, good]) =>
    [...Object.keys(good), "visitedAt"].map((field) => ({ path, good, field })),
  );
  for (const [at, { path, good, field }] of fields.entries())
    for (const [index, value] of VALUES.entries()) {
      // A third of the values in each field, and all of them in three fields one after the other.
      if (!isThorough && (index + at) % 3 !== 0) continue;
      const { status, body } = await bench.post(path, {
        ...good,
        [field]: value,
      });
      const what = `${path} ${field} ${JSON.stringify(value).slice(0, 80)}`;
      if (status === 400) {
        const { code, errors } = body as Problem;
        expect(code, what).toBe("INPUT_INVALID");
        for (const error of errors)
          expect(error.path.split(".")[0], what).toBe(field);
      } else if (status === 404) expect(path, what).toBe("/downloads/status");
      else expect(status, what).toBe(200);
    }
  const lists = await Promise.all(
    LISTS.map((path) => bench.list(path, { limit: 500 })),
  );
  const records = lists.flatMap(({ items }) => items);
  expect(records.length).toBeGreaterThan(30);
  for (const record of records) expectHarmless(record);
});

function expectHarmless(record: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== "string") continue;
    expect(value, name).not.toMatch(HIDDEN);
    if (name === "fileName") expect(value).not.toMatch(/[/\\]|^\.\.?$/u);
    if (name !== "url" && name !== "origin") continue;
    const { protocol, username, password } = new URL(value);
    expect(protocol).toMatch(/^https?:$/u);
    expect(username + password).toBe("");
    expect(value.length).toBeLessThanOrEqual(2048);
  }
}

test("what is no web address is refused wherever one is asked for", async () => {
  await using bench = await startRecords();
  for (const url of ADDRESSES) {
    for (const path of ["/annotations", "/downloads", "/history"])
      expect(await bench.post(path, bodyOf(path, { url })), url).toMatchObject({
        status: 400,
        body: { code: "INPUT_INVALID", errors: [{ path: "url" }] },
      });
    expect(
      await bench.post("/permissions", bodyOf("/permissions", { origin: url })),
      url,
    ).toMatchObject({ status: 400, body: { errors: [{ path: "origin" }] } });
  }
  for (const path of LISTS)
    expect((await bench.list(path)).items, path).toEqual([]);
  // The longest that is taken.
  const url = `https://example.com/${"a".repeat(2028)}`;
  expect(url).toHaveLength(2048);
  expect(await bench.add("/history", { url })).toMatchObject({ url });
  expect(
    await bench.add("/history", {
      url: "https://ada:secret@example.com/\u00fc",
    }),
  ).toMatchObject({ url: "https://example.com/%C3%BC" });
});

test("a wrong cursor, limit or filter is refused by its name, in every list", async () => {
  await using bench = await startRecords();
  const { api } = bench;
  for (const path of [...LISTS, "/policies"].map((p) => `/api/browser${p}`)) {
    for (const cursor of ["x", "AAAA", "\u0000"])
      expect(await api.get(path, { cursor }), cursor).toMatchObject({
        status: 400,
        body: { code: "BAD_CURSOR" },
      });
    for (const [name, value] of [
      ...([0, -1, 501, 1e9, "1e2", ""].map((limit) => ["limit", limit]) as [
        string,
        string | number,
      ][]),
      ["q", "x".repeat(501)],
      ["sort", "url"],
    ] as const)
      expect(await api.get(path, { [name]: value }), path).toMatchObject({
        status: 400,
        body: { code: "INPUT_INVALID", errors: [{ path: name }] },
      });
  }
});

test("an id that is none, or of something else, is not found", async () => {
  await using bench = await startRecords();
  for (const [path, code] of [
    ["/annotations", "BROWSER_ANNOTATION_NOT_FOUND"],
    ["/downloads", "BROWSER_DOWNLOAD_NOT_FOUND"],
    ["/history", "BROWSER_VISIT_NOT_FOUND"],
    ["/permissions", "BROWSER_PERMISSION_NOT_FOUND"],
  ])
    for (const id of [
      "x",
      "..%2fx",
      "%00",
      "__proto__",
      `snp_${"a".repeat(24)}`,
    ])
      expect(
        await bench.remove(`${path}/${id}`),
        `${path} ${id}`,
      ).toMatchObject({ status: 404, body: { code } });
});

test("text of a page keeps what can be read, and nothing that hides or reorders it", () => {
  expect(toLine(" in\u202evisible\u0000\n line ", 99)).toBe("invisible line");
  expect(
    toLine("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", 99),
  ).toHaveLength(8);
  expect(toLine("\u200b\u3164\u2800", 99)).toBe("");
  expect(toLine("a\u{1f600}", 2)).toBe("a\ufffd");
  expect(toText("a\r\nb\rc\u2028d\te\u0007\u2066", 99)).toBe("a\nb\nc\nd\te");
  const text = anyText(60);
  const address = fc
    .tuple(fc.constantFrom("http://", "HTTPS://u:p@"), anyText(9), text)
    .map(([start, host, path]) => `${start}${host}/${path}`);
  fc.assert(
    fc.property(text, fc.nat(50), (input, max) => {
      const line = toLine(input, max);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
      expect(toLine(line, max)).toBe(line);
      const lines = toText(input, max);
      expect(lines.length).toBeLessThanOrEqual(max);
      expect(lines).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
    }),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(fc.oneof(address, text), (input) => {
      const url = toWebUrl(input);
      if (url === undefined) return;
      expect(url).toMatch(/^https?:\/\/[\x21-\x7e]+$/u);
      expect(toWebUrl(url)).toBe(url);
    }),
    { numRuns: runs(500) },
  );
});
