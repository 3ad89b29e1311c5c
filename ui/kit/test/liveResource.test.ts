import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTick, ref } from "vue";
import type { ServerResponse } from "node:http";
import { useResource } from "../src/index.ts";
import { runInKit } from "./support/mountInKit.ts";
import { json, startServer } from "./support/startServer.ts";

interface Note {
  count: number;
}

let server: Awaited<ReturnType<typeof startServer>>;
let held: ServerResponse[];
let hidden = false;

function setHidden(isHidden: boolean): void {
  hidden = isHidden;
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(async () => {
  held = [];
  hidden = false;
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "performance"],
  });
  server = await startServer((_request, response) => held.push(response));
  window.happyDOM.setURL(`${server.origin}/`);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await server.close();
});

const until = (count: number) =>
  vi.waitFor(async () => {
    // The clock stands still; requests do not.
    await new Promise((resolve) => setImmediate(resolve));
    expect(held).toHaveLength(count);
  });

async function answer(index: number, count: number): Promise<void> {
  json(held[index]!, { count });
}

test("asks again so long after each answer, never twice at once", async () => {
  const everyMs = ref<number | undefined>(1000);
  const { result: note, wrapper } = runInKit(() =>
    useResource<Note>("/api/notes/1", { refreshEveryMs: everyMs }),
  );
  await until(1);
  vi.advanceTimersByTime(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(1);
  await answer(0, 1);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(1));
  await nextTick();
  vi.advanceTimersByTime(999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await until(2);
  await answer(1, 2);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(2));
  everyMs.value = undefined;
  await nextTick();
  expect(vi.getTimerCount()).toBe(0);
  wrapper.unmount();
});

test("a hidden page does not ask, and catches up when it is visible", async () => {
  const { result: note, wrapper } = runInKit(() =>
    useResource<Note>("/api/notes/1", { refreshEveryMs: 1000 }),
  );
  await until(1);
  await answer(0, 1);
  await vi.waitFor(() => expect(note.pending.value).toBe(false));
  setHidden(true);
  await nextTick();
  vi.advanceTimersByTime(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(1);
  setHidden(false);
  await nextTick();
  vi.advanceTimersByTime(0);
  await until(2);
  wrapper.unmount();
  expect(vi.getTimerCount()).toBe(0);
});

test("after failures it asks less often", async () => {
  const { result: note, wrapper } = runInKit(() =>
    useResource<Note>("/api/notes/1", { refreshEveryMs: 1000 }),
  );
  await until(1);
  json(held[0]!, { code: "NOTE_LOST", detail: "It is lost." }, 502);
  await vi.waitFor(() => expect(note.error.value?.code).toBe("NOTE_LOST"));
  await nextTick();
  vi.advanceTimersByTime(1999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await until(2);
  wrapper.unmount();
});

test("what replaces the answer is not overtaken by a load that began before", async () => {
  const { result: note, wrapper } = runInKit(() =>
    useResource<Note>("/api/notes/1"),
  );
  await until(1);
  note.replace({ count: 7 });
  expect(note.data.value?.count).toBe(7);
  await answer(0, 1);
  vi.advanceTimersByTime(1000);
  await until(2);
  expect(note.data.value?.count).toBe(7);
  await answer(1, 8);
  await vi.waitFor(() => expect(note.data.value?.count).toBe(8));
  wrapper.unmount();
});
