import { expect, test } from "vitest";
import { DownloadsChanged } from "../src/contract.ts";
import type { Download } from "../src/contract.ts";
import { bodyOf, startRecords } from "./support/start-records.ts";

test("a download begins, progresses, fails, is resumed and completed, and is removed from the list", async () => {
  await using bench = await startRecords();
  const begun = await bench.add<Download>("/downloads", bodyOf("/downloads"));
  expect(begun).toMatchObject({
    ...{ fileName: "a.zip", state: "running", receivedBytes: 0 },
    ...{ totalBytes: 100, endedAt: null, problem: null },
  });
  const { id } = begun;
  const report = (fields: object) =>
    bench.add<Download>("/downloads/status", { id, ...fields });
  expect(await report({ receivedBytes: 40 })).toMatchObject({
    ...{ state: "running", receivedBytes: 40, totalBytes: 100 },
  });
  expect(await bench.add("/downloads/clear")).toEqual({ deleted: 0 });

  const failed = await report({
    state: "failed",
    problem: "The disk\nis full.",
  });
  expect(failed).toMatchObject({
    ...{ state: "failed", problem: "The disk is full." },
    endedAt: bench.clock.timestamp(),
  });
  expect(await report({ state: "running" })).toMatchObject({
    ...{ state: "running", problem: null, endedAt: null, receivedBytes: 40 },
  });
  await bench.clock.advance(5000);
  const completed = await report({ state: "completed", receivedBytes: 100 });
  expect(completed.endedAt).toBe(bench.clock.timestamp());
  await bench.clock.advance(5000);
  // A report that arrives late does not move the end.
  expect((await report({ receivedBytes: 100 })).endedAt).toBe(
    completed.endedAt,
  );
  expect(bench.events.all(DownloadsChanged)).toHaveLength(6);

  await bench.restart();
  expect((await bench.list<Download>("/downloads")).items).toMatchObject([
    { id, state: "completed", revision: 6 },
  ]);
  expect(await bench.add("/downloads/clear")).toEqual({ deleted: 1 });
  expect((await bench.list("/downloads")).items).toEqual([]);
  expect(
    await bench.post("/downloads/status", { id, state: "completed" }),
  ).toMatchObject({
    status: 404,
    body: { code: "BROWSER_DOWNLOAD_NOT_FOUND" },
  });
});
