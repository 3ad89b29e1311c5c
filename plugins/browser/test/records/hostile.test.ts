import fc from "fast-check";
import { expect, test } from "vitest";
import { annotationOf, startRecords } from "./support.ts";

/** The operations that take a body, each with a valid one. */
const operations: Readonly<Record<string, object>> = {
  "/annotations": annotationOf(),
  "/downloads": { url: "https://example.com/a", fileName: "a" },
  "/downloads/clear": {},
  "/downloads/status": { id: `dwn_${"a".repeat(24)}`, state: "completed" },
  "/history": { url: "https://example.com/", title: "A", typed: true },
  "/history/clear": { since: "2026-03-02T12:00:00.000Z" },
  "/history/delete": { ids: ["vis_a"] },
  "/permissions": {
    ...{ origin: "https://example.com", kind: "camera", decision: "deny" },
  },
  "/permissions/clear": {},
  "/permissions/prune": { days: 7 },
};

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom<unknown>(
    ...[
      "__proto__",
      "\u0000",
      "\ud800",
      "\u202e",
      "%",
      "%00",
      "x".repeat(3000),
    ],
    ...["http://", "http://\u0000", "https://a\u202e/", "file:///etc/passwd"],
    ...["javascript:alert(1)", "data:,", "https://[::1", "https://exa mple/"],
    ...[`https://example.com/${"\u00e4".repeat(1900)}`, "HTTPS://EXAMPLE.COM"],
    ...[-1, 1e308, 2 ** 53, 0.5, null, true, [], {}, [[]], { toString: 1 }],
    ...["9999-99-99T99:99:99Z", "2026-03-02", "+275760-09-13T00:00:00.001Z"],
  ),
);

test("any body is either accepted or refused with a description of the problem", async () => {
  await using bench = await startRecords();
  const paths = Object.keys(operations);
  const body = fc
    .tuple(fc.constantFrom(...paths), fc.nat(20), hostile, fc.boolean())
    .map(([path, position, value, isWhole]) => {
      const good = operations[path]!;
      const names = [...Object.keys(good), "id", "agentId", "screenshot"];
      const name = names[position % names.length]!;
      return { path, body: isWhole ? value : { ...good, [name]: value } };
    });
  await fc.assert(
    fc.asyncProperty(body, async ({ path, body }) => {
      const answer = await bench.api.post(
        `/api/browser${path}`,
        body as object,
      );
      expect([200, 400, 404]).toContain(answer.status);
    }),
    { numRuns: 400 },
  );
  // Stored records are readable: every answer matches its schema, or the kernel would report a fault.
  for (const path of ["/annotations", "/downloads", "/history", "/permissions"])
    await bench.list(path, { limit: 500, q: "e" });
}, 60_000);

test("addresses of other schemes, with hidden characters or too long are refused", async () => {
  await using bench = await startRecords();
  for (const url of [
    ...["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "x"],
    ...["https://example.com/\u0000", "https://example.com/\n", "ftp://a.b/"],
    ...[
      "https://example.com/\u202e",
      `https://example.com/${"a".repeat(2048)}`,
    ],
  ]) {
    for (const [path, fields] of Object.entries(operations))
      if ("url" in fields)
        expect(
          await bench.api.post(`/api/browser${path}`, { ...fields, url }),
        ).toMatchObject({
          status: 400,
          body: { code: "INPUT_INVALID" },
        });
    expect(
      await bench.api.post("/api/browser/permissions", {
        ...operations["/permissions"],
        origin: url,
      }),
    ).toMatchObject({ status: 400 });
  }
});

test("an unpaired client is refused everything", async () => {
  await using bench = await startRecords();
  for (const path of ["annotations", "downloads", "history", "permissions"])
    expect(await bench.stranger.get(`/api/browser/${path}`)).toMatchObject({
      status: 401,
      body: { code: "AUTH_NOT_PAIRED" },
    });
});
