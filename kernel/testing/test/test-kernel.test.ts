import { expect, test } from "vitest";
import { readEventStream, startTestKernel } from "../src/index.ts";
import notes, { NoteAdded } from "./fixtures/notes.ts";

test("a plugin's operations answer over real HTTP", async () => {
  await using kernel = await startTestKernel([notes]);
  const added = await kernel.api.post<{ id: string; revision: number }>(
    "/api/notes",
    { title: "Milk" },
  );
  expect(added).toMatchObject({
    status: 200,
    body: { title: "Milk", revision: 1 },
  });
  const list = await kernel.api.get("/api/notes");
  expect(list.body).toMatchObject({
    items: [{ title: "Milk" }],
    nextCursor: null,
  });
  expect(kernel.events.all(NoteAdded)).toMatchObject([
    { subject: added.body.id, data: { title: "Milk" } },
  ]);
  expect(await kernel.stranger.get("/api/notes")).toMatchObject({
    status: 401,
    body: { code: "AUTH_NOT_PAIRED" },
  });
});

test("a changed record keeps its revision in step", async () => {
  await using kernel = await startTestKernel([notes]);
  const { body: note } = await kernel.api.post<{ id: string }>("/api/notes", {
    title: "Milk",
  });
  const path = `/api/notes/${note.id}`;
  expect(
    await kernel.api.patch(path, { title: "Bread" }, { "if-match": '"1"' }),
  ).toMatchObject({
    status: 200,
    body: { title: "Bread", revision: 2 },
  });
  expect(
    await kernel.api.patch(path, { title: "Eggs" }, { "if-match": '"1"' }),
  ).toMatchObject({
    status: 412,
    body: { code: "STALE_REVISION" },
  });
});

test("events stream to a client and resume where it left", async () => {
  await using kernel = await startTestKernel([notes]);
  const first = readEventStream(
    await kernel.api.open("/api/events?types=notes.*"),
  );
  expect(await first.next()).toMatchObject({ event: "hello" });
  await kernel.api.post("/api/notes", { title: "One" });
  const one = await first.next();
  expect(one).toMatchObject({
    event: "notes.note-added",
    data: { data: { title: "One" } },
  });
  await first.close();
  await kernel.api.post("/api/notes", { title: "Two" });
  const second = readEventStream(
    await kernel.api.open("/api/events?types=notes.*", {
      headers: { "last-event-id": one?.id ?? "" },
    }),
  );
  expect(await second.next()).toMatchObject({ event: "hello" });
  expect(await second.next()).toMatchObject({
    data: { data: { title: "Two" } },
  });
  await second.close();
});
