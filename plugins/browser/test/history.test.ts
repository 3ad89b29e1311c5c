import { expect, test } from "vitest";
import { HistoryChanged } from "../src/contract.ts";
import type { Visit } from "../src/contract.ts";
import { AGENT_ID, startRecords } from "./support/start-records.ts";

const page = (name: string) => ({
  url: `https://example.com/${name}`,
  title: `Page ${name}`,
});
const titles = ({ items }: { items: Visit[] }) =>
  items.map(({ title }) => title);

test("visits are listed newest first, page by page, and found by their words", async () => {
  await using bench = await startRecords();
  // All have the same timestamp: their order is that in which they were added.
  for (const name of ["a", "b", "c", "d", "e"])
    await bench.add("/history", page(name));
  const first = await bench.list<Visit>("/history", { limit: 2 });
  expect(titles(first)).toEqual(["Page e", "Page d"]);
  const second = await bench.list<Visit>("/history", {
    limit: 4,
    cursor: first.nextCursor!,
  });
  expect(titles(second)).toEqual(["Page c", "Page b", "Page a"]);
  expect(second.nextCursor).toBeNull();
  expect(
    titles(await bench.list<Visit>("/history", { q: "EXAMPLE  page b" })),
  ).toEqual(["Page b"]);
  expect((await bench.list("/history", { q: "nothing" })).items).toEqual([]);
});

test("a visit to the same page as the newest one is merged with it", async () => {
  await using bench = await startRecords();
  const first = await bench.add<Visit>("/history", page("a"));
  await bench.clock.advance(60_000);
  const again = await bench.add<Visit>("/history", { url: page("a").url });
  expect(again).toMatchObject({ id: first.id, title: "Page a", visits: 2 });
  expect(Date.parse(again.visitedAt) - Date.parse(first.visitedAt)).toBe(
    60_000,
  );
  await bench.add("/history", page("b"));
  await bench.add("/history", page("a"));
  await bench.add("/history", { ...page("a"), agentId: AGENT_ID });
  expect((await bench.list("/history")).items).toHaveLength(4);
  expect(
    bench.events.all(HistoryChanged).map(({ data: { change } }) => change),
  ).toEqual(["added", "changed", "added", "added", "added"]);

  await bench.restart();
  const merged = await Promise.all(
    [1, 2, 3].map(() =>
      bench.add<Visit>("/history", { ...page("a"), agentId: AGENT_ID }),
    ),
  );
  expect(merged.map(({ visits }) => visits).sort()).toEqual([2, 3, 4]);
  expect((await bench.list<Visit>("/history")).items).toMatchObject([
    { visits: 4 },
    { visits: 1 },
    { title: "Page b" },
    { visits: 2 },
  ]);
});

test("visits are removed one by one, several at once, since a time, and all", async () => {
  await using bench = await startRecords();
  const visits: Visit[] = [];
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    visits.push(await bench.add<Visit>("/history", page(name)));
    await bench.clock.advance(60_000);
  }
  const [a, b, , , e] = visits as [Visit, Visit, Visit, Visit, Visit];
  expect(await bench.remove(`/history/${a.id}`, 7)).toMatchObject({
    status: 412,
  });
  expect(await bench.remove(`/history/${a.id}`, 1)).toMatchObject({
    status: 200,
  });
  expect(await bench.remove(`/history/${a.id}`)).toMatchObject({
    status: 404,
    body: { code: "BROWSER_VISIT_NOT_FOUND" },
  });
  expect(
    await bench.add("/history/delete", { ids: [b.id, b.id, "vis_nope"] }),
  ).toEqual({ deleted: 1 });
  const inAnHour = new Date(bench.clock.now() + 3_600_000).toISOString();
  expect(await bench.add("/history/clear", { since: inAnHour })).toEqual({
    deleted: 0,
  });
  expect(
    await bench.add("/history/clear", {
      // The same moment, two hours further east.
      since: new Date(Date.parse(e.visitedAt) + 7_200_000)
        .toISOString()
        .replace("Z", "+02:00"),
    }),
  ).toEqual({ deleted: 2 });
  expect(titles(await bench.list<Visit>("/history"))).toEqual([
    "Page d",
    "Page c",
  ]);
  expect(await bench.add("/history/clear")).toEqual({ deleted: 2 });
  expect((await bench.list("/history")).items).toEqual([]);
});

test("a visit that is posted again with the same key is recorded once", async () => {
  await using bench = await startRecords();
  const key = { "idempotency-key": "k1" };
  const post = () =>
    bench.api.post<Visit>("/api/browser/history", page("a"), key);
  const [first, again] = [await post(), await post()];
  expect(again.body).toEqual(first.body);
  expect((await bench.list<Visit>("/history")).items).toMatchObject([
    { visits: 1 },
  ]);
});
