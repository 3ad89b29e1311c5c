import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentifier, definePlugin } from "@gantry/plugin";
import type { StoredRecord } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { Annotation } from "../src/contract.ts";
import browser from "../src/index.ts";
import { bodyOf, PIXEL, startRecords } from "./support/start-records.ts";

test("an annotation is kept with its picture, found, and removed with it", async () => {
  await using bench = await startRecords();
  const body = bodyOf("/annotations", {
    comment: "Make\r\nit\u202e larger\u0000",
    screenshot: PIXEL,
  });
  const { id, screenshot } = await bench.add<Annotation>("/annotations", body);
  await bench.add("/annotations", bodyOf("/annotations"));
  await bench.restart();
  expect(
    (await bench.list("/annotations", { q: "CART make" })).items,
  ).toMatchObject([
    { screenshot: null },
    { ...body, id, screenshot, comment: "Make\nit larger" },
  ]);

  const picture = await bench.api.open(screenshot!);
  expect(picture.headers.get("content-type")).toBe("image/png");
  expect(picture.headers.get("x-content-type-options")).toBe("nosniff");
  const bytes = Buffer.from(await picture.arrayBuffer());
  expect(`data:image/png;base64,${bytes.toString("base64")}`).toBe(PIXEL);

  expect(await bench.remove(`/annotations/${id}`)).toMatchObject({
    status: 200,
  });
  expect(await bench.api.get(screenshot!)).toMatchObject({
    status: 404,
    body: { code: "BROWSER_SCREENSHOT_NOT_FOUND" },
  });
  expect((await bench.list("/annotations")).items).toHaveLength(1);
});

test("only a small PNG, JPEG or WebP is taken for a picture", async () => {
  await using bench = await startRecords();
  const png = Buffer.from(PIXEL.split(",")[1]!, "base64");
  const withSize = (size: number) =>
    `data:image/png;base64,${Buffer.concat([png], size).toString("base64")}`;
  const limit = 2 * 1024 * 1024;
  for (const screenshot of [
    "https://example.com/a.png",
    "data:image/svg+xml;base64,PHN2Zy8+",
    PIXEL.replace("image/png", "image/jpeg"),
    `data:image/png;base64,${Buffer.from("<script>").toString("base64")}`,
    withSize(limit + 1),
    `${PIXEL}\n`,
    "",
    1,
  ])
    expect(
      await bench.post("/annotations", bodyOf("/annotations", { screenshot })),
    ).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID", errors: [{ path: "screenshot" }] },
    });
  expect((await bench.list("/annotations")).items).toEqual([]);
  for (const screenshot of [
    withSize(limit),
    `data:image/jpeg;base64,${Buffer.from("ffd8ffe000", "hex").toString("base64")}`,
    `data:image/webp;base64,${Buffer.from("RIFF\n\0\0\0WEBPVP8 ").toString("base64")}`,
  ])
    await bench.add("/annotations", bodyOf("/annotations", { screenshot }));
});

test("an annotation of the first version is listed, without styles and not sent", async () => {
  const home = await mkdtemp(join(tmpdir(), "gantry-annotations-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const id = createIdentifier("ann");
  const first = bodyOf("/annotations", {
    ...{ id, sequence: 1, hasScreenshot: false },
    ...{ styles: undefined, screenshot: undefined },
  });
  const before = definePlugin({
    id: "browser",
    api: 1,
    summary: "Writes a record as the first version did",
    mounts: [],
    async setup({ store }) {
      const records = store.collection<StoredRecord & Record<string, unknown>>({
        name: "annotation",
        version: 1,
        schema: z.looseObject(storedFields),
        indexes: { order: () => ["0000000000000001"] },
      });
      await records.insert({ id, ...first });
    },
  });
  await (await startTestKernel([before], { home })).stop();
  await using kernel = await startTestKernel([browser], { home });
  expect(await kernel.api.get("/api/browser/annotations")).toMatchObject({
    body: {
      items: [{ id, comment: "Make it larger", styles: [], sentTo: null }],
    },
  });
});
