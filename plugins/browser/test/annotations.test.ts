import { expect, test } from "vitest";
import type { Annotation } from "../src/contract.ts";
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
