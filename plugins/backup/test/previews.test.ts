import { expect, test } from "vitest";
import { startBackup } from "./support/backup-bench.ts";

/** Requests that are answered while a preview waits: one that did not wait would read the store meanwhile. */
const REQUESTS = 20;

test("previews are made one at a time, and hold up nothing else", async () => {
  await using bench = await startBackup();
  const { id } = (await bench.backUp()).snapshot;
  const { readStore } = bench.home;
  const holds: (() => void)[] = [];
  const begun = Promise.withResolvers<void>();
  bench.home.readStore = async (signal) => {
    await new Promise<void>((release) => {
      holds.push(release);
      begun.resolve();
    });
    return await readStore(signal);
  };
  const statuses: number[] = [];
  const preview = async () =>
    statuses.push((await bench.restore({ id, preview: true })).status);
  const previews = [preview()];
  await begun.promise;
  previews.push(preview());
  for (let count = 0; count < REQUESTS; count++)
    expect((await bench.state()).job).toBeNull();
  expect(holds).toHaveLength(1);
  expect(statuses).toEqual([]);
  holds[0]!();
  await expect.poll(() => holds.length).toBe(2);
  await expect.poll(() => statuses).toEqual([200]);
  holds[1]!();
  await Promise.all(previews);
  expect(statuses).toEqual([200, 200]);
  expect(bench.home.openImages).toBe(0);
});
