import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import notes, { NoteAdded } from "./fixtures/notes.ts";

test("a note is stored, reported, and there after a restart", async () => {
  await using kernel = await startTestKernel([notes]);
  const { status, body } = await kernel.api.post<{ id: string }>("/api/notes", {
    title: "Milk",
  });
  expect(status).toBe(200);
  expect(kernel.events.all(NoteAdded)).toMatchObject([
    { subject: body.id, data: { title: "Milk" } },
  ]);

  await kernel.restart();
  const list = await kernel.api.get("/api/notes");
  expect(list.body).toMatchObject({ items: [{ title: "Milk" }] });
});

test("a stranger learns nothing", async () => {
  await using kernel = await startTestKernel([notes]);
  expect(await kernel.stranger.get("/api/notes")).toMatchObject({
    status: 401,
    body: { code: "AUTH_NOT_PAIRED" },
  });
});

test("the nightly job runs when the clock gets there", async () => {
  await using kernel = await startTestKernel([notes], {
    startAt: "2026-03-02T02:59:00.000Z",
  });
  await kernel.clock.advance(60_000);
  expect(kernel.log).toContainEqual(
    expect.objectContaining({ from: "notes", message: "Nightly" }),
  );
});
