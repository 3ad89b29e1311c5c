import { execFile } from "node:child_process";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import type { Annotation } from "../../src/contract.ts";
import { annotationOf, PIXEL, startRecords } from "./support.ts";

const run = promisify(execFile);
const canMount = process.getuid?.() === 0 && process.platform === "linux";
const screenshotsOf = (home: string) =>
  join(home, "data", "browser", "screenshots");

test("an annotation is kept with its picture, found, and deleted with it", async () => {
  await using bench = await startRecords();
  const { id, screenshot } = await bench.send<Annotation>(
    "/annotations",
    annotationOf({
      screenshot: PIXEL,
      comment: "Make\r\nit\u202e larger\u0000",
    }),
  );
  const [found] = (
    await bench.list<Annotation>("/annotations", { q: "LARGER cart" })
  ).items;
  expect(found).toMatchObject({
    ...annotationOf(),
    ...{ id, screenshot, sentTo: null, comment: "Make\nit larger" },
  });
  const picture = await bench.api.open(screenshot!);
  expect(picture.headers.get("content-type")).toBe("image/png");
  expect(picture.headers.get("x-content-type-options")).toBe("nosniff");
  expect(
    Buffer.from(await picture.arrayBuffer()).equals(
      Buffer.from(PIXEL.split(",")[1]!, "base64"),
    ),
  ).toBe(true);
  const file = join(screenshotsOf(bench.home), id);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await bench.records().annotations.markSent(id, "agt_one");
  expect(await bench.records().annotations.get(id)).toMatchObject({
    sentTo: { agentId: "agt_one" },
  });
  // The next start removes exactly what a crash left behind.
  await writeFile(join(screenshotsOf(bench.home), `ann_${"a".repeat(24)}`), "");
  await bench.restart();
  await vi.waitFor(
    async () => expect(await readdir(screenshotsOf(bench.home))).toEqual([id]),
    10_000,
  );
  expect(
    await bench.api.delete(`/api/browser/annotations/${id}`),
  ).toMatchObject({ status: 200 });
  await vi.waitFor(
    async () => expect(await readdir(screenshotsOf(bench.home))).toEqual([]),
    10_000,
  );
  expect(await bench.api.get(screenshot!)).toMatchObject({
    status: 404,
    body: { code: "BROWSER_SCREENSHOT_NOT_FOUND" },
  });
});

test("only a small PNG, JPEG or WebP is taken for a picture", async () => {
  await using bench = await startRecords();
  const large = Buffer.alloc(2 * 1024 * 1024 + 1);
  Buffer.from(PIXEL.split(",")[1]!, "base64").copy(large);
  for (const screenshot of [
    "https://example.com/a.png",
    "data:image/svg+xml;base64,PHN2Zy8+",
    PIXEL.replace("image/png", "image/jpeg"),
    `data:image/png;base64,${Buffer.from("<script>").toString("base64")}`,
    `data:image/png;base64,${large.toString("base64")}`,
    `${PIXEL}\n`,
  ])
    expect(
      await bench.api.post(
        "/api/browser/annotations",
        annotationOf({ screenshot }),
      ),
    ).toMatchObject({ status: 400, body: { code: "INPUT_INVALID" } });
  expect(await readdir(screenshotsOf(bench.home))).toEqual([]);
});

test.skipIf(!canMount)(
  "a picture without room on the disk is refused, and leaves nothing",
  async () => {
    await using bench = await startRecords();
    const place = screenshotsOf(bench.home);
    await run("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", place]);
    try {
      const bytes = Buffer.alloc(64 * 1024);
      Buffer.from(PIXEL.split(",")[1]!, "base64").copy(bytes);
      const screenshot = `data:image/png;base64,${bytes.toString("base64")}`;
      expect(
        await bench.api.post(
          "/api/browser/annotations",
          annotationOf({ screenshot }),
        ),
      ).toMatchObject({ status: 507, body: { code: "BROWSER_DISK_FULL" } });
      expect(await readdir(place)).toEqual([]);
      expect((await bench.list("/annotations")).items).toEqual([]);
      await bench.send("/annotations", annotationOf({ screenshot: PIXEL }));
    } finally {
      await run("umount", ["--lazy", place]);
    }
  },
);
