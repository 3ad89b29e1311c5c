import type { ServerResponse } from "node:http";
import { watch } from "vue";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createEventHub,
  sessionRefusedEvent,
  type EventHub,
} from "../src/host.ts";
import { useEventStream } from "../src/index.ts";
import { json, startServer } from "./support/startServer.ts";
import { runInKit } from "./support/mountInKit.ts";

let server: Awaited<ReturnType<typeof startServer>>;
let open: ServerResponse[];
let hub: EventHub;
let bootId: string;
let latest: number;
const failures = vi.fn();

beforeEach(async () => {
  open = [];
  bootId = "one";
  latest = 10;
  server = await startServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      `event: hello\ndata: ${JSON.stringify({ bootId, latest })}\n\n`,
    );
    open.push(response);
  });
  window.happyDOM.setURL(`${server.origin}/`);
  failures.mockClear();
  hub = createEventHub({ path: `${server.origin}/api/events`, fail: failures });
});

afterEach(async () => {
  hub.stop();
  await server.close();
});

function send(id: number, type: string): void {
  const data = JSON.stringify({
    id,
    at: "",
    type,
    plugin: "notes",
    subject: "note_1",
    data: {},
  });
  open.at(-1)?.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
}

async function opened(times: number): Promise<void> {
  await vi.waitFor(() => expect(open).toHaveLength(times));
  await vi.waitFor(() => expect(hub.status.value.state).toBe("open"));
}

test("one connection serves all listeners, each with its types", async () => {
  const notes: string[] = [];
  const all: string[] = [];
  hub.subscribe(["notes.*"], (event) => notes.push(event.type));
  const undo = hub.subscribe(["*"], (event) => all.push(event.type));
  hub.start();
  hub.start();
  await opened(1);
  send(11, "notes.note-added");
  send(12, "agents.agent-changed");
  await vi.waitFor(() =>
    expect(all).toEqual(["notes.note-added", "agents.agent-changed"]),
  );
  expect(notes).toEqual(["notes.note-added"]);
  undo();
  send(13, "notes.note-added");
  await vi.waitFor(() => expect(notes).toHaveLength(2));
  expect(all).toHaveLength(2);
  expect(server.requests).toHaveLength(1);
});

test("a listener that throws reaches no other", async () => {
  const heard = vi.fn();
  hub.subscribe(["*"], () => {
    throw new Error("broken");
  });
  hub.subscribe(["*"], heard);
  hub.start();
  await opened(1);
  send(11, "notes.note-added");
  await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce());
  expect(failures).toHaveBeenCalledOnce();
});

test("resumes after the last event that it saw, and takes none twice", async () => {
  const ids: number[] = [];
  const stale = vi.fn();
  hub.subscribe(["*"], (event) => ids.push(event.id));
  hub.onStale(stale);
  hub.start();
  await opened(1);
  send(11, "notes.note-added");
  send(12, "notes.note-added");
  await vi.waitFor(() => expect(ids).toEqual([11, 12]));
  latest = 13;
  open[0]?.destroy();
  await opened(2);
  expect(server.requests[1]?.url).toBe("/api/events?after=12");
  send(12, "notes.note-added");
  send(13, "notes.note-added");
  await vi.waitFor(() => expect(ids).toEqual([11, 12, 13]));
  expect(stale).not.toHaveBeenCalled();
});

test.each([
  ["the daemon restarted", () => (bootId = "two")],
  ["the log is another one", () => (latest = 3)],
])("everything is read again when %s", async (_what, change) => {
  const stale = vi.fn();
  hub.onStale(stale);
  hub.start();
  await opened(1);
  change();
  open[0]?.destroy();
  await opened(2);
  await vi.waitFor(() => expect(stale).toHaveBeenCalledOnce());
});

test("everything is read again after a reset, and the stream continues from there", async () => {
  const stale = vi.fn();
  hub.onStale(stale);
  hub.start();
  await opened(1);
  open[0]?.write("event: reset\ndata: {}\n\n");
  await vi.waitFor(() => expect(stale).toHaveBeenCalledOnce());
  open[0]?.destroy();
  await opened(2);
  expect(server.requests[1]?.url).toBe("/api/events?after=10");
});

test("everything is read again after records were replaced by a copy", async () => {
  const stale = vi.fn();
  hub.onStale(stale);
  hub.start();
  await opened(1);
  send(11, "notes.note-added");
  send(12, "kernel.home-replaced");
  await vi.waitFor(() => expect(stale).toHaveBeenCalledOnce());
});

test("a farewell is remembered until the daemon is back", async () => {
  const stopping: boolean[] = [];
  watch(hub.status, (status) => stopping.push(status.stopping), {
    flush: "sync",
  });
  hub.start();
  await opened(1);
  open[0]?.end("event: bye\ndata: {}\n\n");
  await opened(2);
  expect(stopping).toContain(true);
  expect(hub.status.value.stopping).toBe(false);
});

test("a session that ended is told at once and ends the tries", async () => {
  const told = vi.fn();
  window.addEventListener(sessionRefusedEvent, told, { once: true });
  hub.start();
  await opened(1);
  server.answer = (_request, response) =>
    json(response, { code: "AUTH_NOT_PAIRED", detail: "Pair." }, 401);
  open[0]?.end();
  await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
  await vi.waitFor(() => expect(hub.status.value.state).toBe("closed"));
});

test("a daemon that is away is tried again", async () => {
  server.answer = (_request, response) => response.destroy();
  hub.start();
  await vi.waitFor(() =>
    expect(server.requests.length).toBeGreaterThanOrEqual(3),
  );
  // Between two tries; during one nothing is known yet.
  await vi.waitFor(() =>
    expect(hub.status.value.error?.code).toBe("UNREACHABLE"),
  );
});

test("a page that is hidden holds no connection, and continues where it was", async () => {
  const closed = vi.fn();
  hub.start();
  await opened(1);
  open[0]?.on("close", closed);
  send(11, "notes.note-added");
  hub.pause();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(hub.status.value.state).toBe("paused");
  hub.resume();
  await opened(2);
});

test("the stream of a resource hands out messages by name and resumes by id", async () => {
  const text: string[] = [];
  const resumed: boolean[] = [];
  const { wrapper, reports } = runInKit(() =>
    useEventStream<{ delta: { text: string }; bad: never }>(
      `${server.origin}/api/notes/1/stream`,
      {
        on: {
          delta: (data) => text.push(data.text),
          bad: () => {
            throw new Error("broken");
          },
        },
        opened: (again) => resumed.push(again),
      },
    ),
  );
  await vi.waitFor(() => expect(open).toHaveLength(1));
  open[0]?.write(
    'id: 4\nevent: delta\ndata: {"text":"a"}\n\nevent: bad\ndata: {}\n\nevent: other\ndata: x\n\n',
  );
  await vi.waitFor(() => expect(text).toEqual(["a"]));
  await vi.waitFor(() => expect(reports).toHaveLength(1));
  open[0]?.destroy();
  await vi.waitFor(() => expect(open).toHaveLength(2));
  expect(server.requests[1]?.headers["last-event-id"]).toBe("4");
  await vi.waitFor(() => expect(resumed).toEqual([false, true]));
  const closed = vi.fn();
  open[1]?.on("close", closed);
  wrapper.unmount();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
});
