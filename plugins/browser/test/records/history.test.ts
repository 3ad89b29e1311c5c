import { expect, test } from "vitest";
import { HistoryChanged } from "../../src/contract.ts";
import type { Visit } from "../../src/contract.ts";
import { startRecords } from "./support.ts";

const page = (name: string) => ({
  url: `https://example.com/${name}`,
  title: `Page ${name}`,
});

test("visits are listed newest first, page by page, and found by their words", async () => {
  await using bench = await startRecords();
  // All have the same timestamp: their order is that in which they were added.
  for (const name of ["a", "b", "c", "d", "e"])
    await bench.send("/history", page(name));
  const first = await bench.list<Visit>("/history", { limit: 2 });
  expect(first.items.map(({ title }) => title)).toEqual(["Page e", "Page d"]);
  const second = await bench.list<Visit>("/history", {
    limit: 4,
    cursor: first.nextCursor!,
  });
  expect(second.items.map(({ title }) => title)).toEqual([
    "Page c",
    "Page b",
    "Page a",
  ]);
  expect(second.nextCursor).toBeNull();
  const found = await bench.list<Visit>("/history", { q: "EXAMPLE  page b" });
  expect(found.items.map(({ title }) => title)).toEqual(["Page b"]);
  expect((await bench.list("/history", { q: "nothing" })).items).toEqual([]);
  expect(await bench.api.get("/api/browser/history?cursor=x")).toMatchObject({
    status: 400,
    body: { code: "BAD_CURSOR" },
  });
});

test("a visit to the same page as the newest one is merged with it", async () => {
  await using bench = await startRecords();
  const first = await bench.send<Visit>("/history", page("a"));
  await bench.clock.advance(60_000);
  const again = await bench.send<Visit>("/history", { url: page("a").url });
  expect(again).toMatchObject({ id: first.id, title: "Page a", visits: 2 });
  expect(Date.parse(again.visitedAt) - Date.parse(first.visitedAt)).toBe(
    60_000,
  );
  await bench.send("/history", page("b"));
  await bench.send("/history", page("a"));
  expect((await bench.list("/history")).items).toHaveLength(3);
  expect(
    bench.events.all(HistoryChanged).map(({ data: { change } }) => change),
  ).toEqual(["added", "changed", "added", "added"]);

  await bench.restart();
  await bench.send("/history", page("a"));
  expect((await bench.list<Visit>("/history")).items).toMatchObject([
    { visits: 2 },
    { title: "Page b" },
    { visits: 2 },
  ]);
});

test("visits are removed one by one, several at once, since a time, and all", async () => {
  await using bench = await startRecords();
  const visits: Visit[] = [];
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    visits.push(await bench.send<Visit>("/history", page(name)));
    await bench.clock.advance(60_000);
  }
  const [a, b, c, , e] = visits;
  const path = `/api/browser/history/${a!.id}`;
  expect(
    await bench.api.request("DELETE", path, {
      headers: { "if-match": '"7"' },
    }),
  ).toMatchObject({ status: 412 });
  expect(await bench.api.delete(path)).toMatchObject({ status: 200 });
  expect(await bench.api.delete(path)).toMatchObject({
    status: 404,
    body: { code: "BROWSER_VISIT_NOT_FOUND" },
  });
  expect(
    await bench.send("/history/delete", { ids: [b!.id, b!.id, "vis_nope"] }),
  ).toEqual({ deleted: 1 });
  expect(
    await bench.send("/history/clear", {
      // The same moment in another time zone.
      since: e!.visitedAt.replace("Z", "+00:00"),
    }),
  ).toEqual({ deleted: 2 });
  const left = await bench.list<Visit>("/history");
  expect(left.items.map(({ title }) => title)).toEqual(["Page d", "Page c"]);
  expect(left.items[1]!.id).toBe(c!.id);
  expect(await bench.send("/history/clear")).toEqual({ deleted: 2 });
  expect((await bench.list("/history")).items).toEqual([]);
});

test("an address is stored without a password, a title without invisible characters", async () => {
  await using bench = await startRecords();
  expect(
    await bench.send("/history", {
      url: "https://ada:secret@example.com/\u00fc",
      title: "  in\u202evisible\u0000\n line\u200b ",
    }),
  ).toMatchObject({
    url: "https://example.com/%C3%BC",
    title: "invisible line",
  });
  const { history } = bench.records();
  for (const url of ["file:///etc/passwd", "about:blank", "not an address"])
    expect(await history.visit({ url })).toBeNull();
});
