import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ref } from "vue";
import type { Kit } from "../src/host.ts";
import { usePages, useResource } from "../src/index.ts";
import { runInKit } from "./support/mountInKit.ts";
import { json, startServer, type SeenRequest } from "./support/startServer.ts";

let server: Awaited<ReturnType<typeof startServer>>;
let stream: ServerResponse | undefined;
let count = 0;

interface Note {
  url: string;
  count: number;
}

/** How often something other than the event stream was asked for. */
const asked = () =>
  server.requests.filter(({ url }) => !url.startsWith("/api/events")).length;

/** Answers everything but the event stream. */
function answerWith(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): void {
  server.answer = (request, response) => {
    if (!request.url.startsWith("/api/events"))
      return answer(request, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('event: hello\ndata: {"bootId":"one","latest":0}\n\n');
    stream = response;
  };
}

function emit(id: number, type: string, subject = "note_1"): void {
  const data = JSON.stringify({
    id,
    at: "",
    type,
    plugin: "notes",
    subject,
    data: {},
  });
  stream?.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
}

async function listen(kit: Kit): Promise<void> {
  kit.events.start();
  await vi.waitFor(() => expect(kit.events.status.value.state).toBe("open"));
}

beforeEach(async () => {
  count = 0;
  server = await startServer(() => undefined);
  answerWith(({ url }, response) =>
    json(response, { url, count: (count += 1) }),
  );
  window.happyDOM.setURL(`${server.origin}/`);
});
afterEach(() => server.close());

test("loads, and keeps what it has while it loads again", async () => {
  const { result: note } = runInKit(() => useResource<Note>("/api/notes/1"));
  expect(note.pending.value).toBe(true);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(1));
  const again = note.refresh();
  expect(note.data.value?.count).toBe(1);
  await again;
  expect(note.data.value?.count).toBe(2);
  expect(note.pending.value).toBe(false);
});

test("loads again on its events, once for many, and not on others", async () => {
  const { result: note, kit } = runInKit(() =>
    useResource<Note>("/api/notes/1", {
      refreshOn: ["notes.*"],
      refreshIf: (event) => event.subject === "note_1",
    }),
  );
  await listen(kit);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(1));
  emit(1, "agents.agent-changed");
  emit(2, "notes.note-changed", "note_2");
  for (let id = 3; id < 30; id += 1) emit(id, "notes.note-changed");
  await vi.waitFor(() => expect(note.data.value?.count).toBe(2));
  expect(asked()).toBe(2);
  kit.events.stop();
});

test("what is put in place does not hold back a load that an event asked for", async () => {
  const { result: note, kit } = runInKit(() =>
    useResource<Note>("/api/notes/1", { refreshOn: ["notes.*"] }),
  );
  kit.events.subscribe(["notes.*"], () =>
    note.replace({ url: "", ...note.data.value, count: 7 }),
  );
  await listen(kit);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(1));
  emit(1, "notes.note-changed");
  await vi.waitFor(() => expect(note.data.value?.count).toBe(7));
  await vi.waitFor(() => expect(note.data.value?.count).toBe(2));
  kit.events.stop();
});

test("events during a load make one more load after it", async () => {
  const held: ServerResponse[] = [];
  answerWith((_request, response) => held.push(response));
  const { result: note, kit } = runInKit(() =>
    useResource<Note>("/api/notes/1", { refreshOn: ["notes.*"] }),
  );
  const heard = vi.fn();
  kit.events.subscribe(["notes.*"], heard);
  await listen(kit);
  await vi.waitFor(() => expect(held).toHaveLength(1));
  emit(1, "notes.note-changed");
  emit(2, "notes.note-changed");
  await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2));
  json(held[0]!, { count: 1 });
  await vi.waitFor(() => expect(held).toHaveLength(2));
  json(held[1]!, { count: 2 });
  await vi.waitFor(() => expect(note.data.value?.count).toBe(2));
  expect(asked()).toBe(2);
  kit.events.stop();
});

test("another address gives up the old one and shows nothing of it", async () => {
  const id = ref<string | null>("1");
  const held: ServerResponse[] = [];
  answerWith(({ url }, response) => {
    if (url === "/api/notes/1") held.push(response);
    else json(response, { url });
  });
  const path = () => (id.value === null ? null : `/api/notes/${id.value}`);
  const { result: note } = runInKit(() => useResource<Note>(path));
  await vi.waitFor(() => expect(held).toHaveLength(1));
  id.value = "2";
  await vi.waitFor(() => expect(note.data.value?.url).toBe("/api/notes/2"));
  id.value = null;
  await vi.waitFor(() => expect(note.data.value).toBeUndefined());
  expect(note.pending.value).toBe(false);
});

test("an address that was read before shows its last answer at once", async () => {
  const id = ref(1);
  const { result: note } = runInKit(() =>
    useResource<Note>(() => `/api/notes/${id.value}`),
  );
  await vi.waitFor(() => expect(note.data.value?.url).toBe("/api/notes/1"));
  id.value = 2;
  await vi.waitFor(() => expect(note.data.value?.url).toBe("/api/notes/2"));
  answerWith(() => undefined);
  id.value = 1;
  await vi.waitFor(() =>
    expect(note.data.value).toEqual({ url: "/api/notes/1", count: 1 }),
  );
  expect(note.pending.value).toBe(true);
});

test("a failure leaves the last answer, and goes with the next good one", async () => {
  const { result: note } = runInKit(() => useResource<Note>("/api/notes/1"));
  await vi.waitFor(() => expect(note.data.value?.count).toBe(1));
  answerWith((_request, response) =>
    json(response, { code: "NOTE_LOST", detail: "It is lost." }, 404),
  );
  await note.refresh();
  expect(note.error.value?.code).toBe("NOTE_LOST");
  expect(note.data.value?.count).toBe(1);
  answerWith((_request, response) => json(response, { count: 9 }));
  await note.refresh();
  expect(note.error.value).toBeUndefined();
  expect(note.data.value?.count).toBe(9);
});

test("a page that goes away gives up what it asked for", async () => {
  const closed = vi.fn();
  answerWith((_request, response) => response.on("close", closed));
  const { wrapper } = runInKit(() => useResource("/api/notes/1"));
  await vi.waitFor(() => expect(asked()).toBe(1));
  wrapper.unmount();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
});

test("a listing grows page by page, and is read again as long as it is", async () => {
  const all = Array.from({ length: 7 }, (_, index) => `note ${index}`);
  answerWith(({ url }, response) => {
    const { searchParams } = new URL(url, server.origin);
    const from = Number(searchParams.get("cursor") ?? 0);
    const to = from + Number(searchParams.get("limit"));
    json(response, {
      items: all.slice(from, to),
      nextCursor: to < all.length ? String(to) : null,
    });
  });
  const { result: notes } = runInKit(() =>
    usePages<string>("/api/notes", { pageSize: 3 }),
  );
  await vi.waitFor(() => expect(notes.items.value).toEqual(all.slice(0, 3)));
  expect(notes.hasMore.value).toBe(true);
  await notes.loadMore();
  expect(notes.items.value).toEqual(all.slice(0, 6));
  await notes.refresh();
  expect(notes.items.value).toEqual(all.slice(0, 6));
  expect(server.requests.at(-1)?.url).toBe("/api/notes?limit=6");
  await notes.loadMore();
  expect(notes.items.value).toEqual(all);
  expect(notes.hasMore.value).toBe(false);
});
