import { afterEach, expect, test, vi } from "vitest";
import { useStatus } from "../../ui/repository/useStatus.ts";
import { startFakeDaemon } from "./support/fakeDaemon.ts";
import { mountPage } from "./support/kit.ts";

vi.mock("@gantry/ui-kit", () => import("./support/kit.ts"));
afterEach(() => vi.unstubAllGlobals());

test("what changes between the first status and the first mark is read, and nothing is read twice", async () => {
  let mark = { key: "1", token: "1" };
  let release = (_answer: object): void => undefined;
  const held = new Promise((resolve) => (release = resolve));
  const daemon = startFakeDaemon({
    "GET /api/agents/agt_1/gitstatus": () => ({
      ...{ git: true, items: [], mark },
    }),
    "GET /api/agents/agt_1/git/head": () => held,
  });
  const reads = (end: string) =>
    daemon.requests.filter(({ path }) => path.endsWith(end)).length;
  using page = mountPage(() =>
    useStatus(
      "agt_1",
      () => undefined,
      () => true,
    ),
  );
  const { repository, revision, commits } = page.result;
  await vi.waitFor(() => expect(repository.value?.mark.token).toBe("1"));
  mark = { key: "1", token: "2" };
  release({ git: true, ...mark });
  await vi.waitFor(() => expect(repository.value?.mark.token).toBe("2"));
  expect([revision.value, commits.value]).toEqual([1, 0]);
  page.emit("agents.turn-finished", "agt_1");
  await vi.waitFor(() => expect(reads("/git/head")).toBe(2));
  await vi.waitFor(() => expect(revision.value).toBe(1));
  expect(reads("/gitstatus")).toBe(2);
});

test("a status that takes long is not begun again by polls that find what it is read for", async () => {
  let mark = { key: "1", token: "1" };
  let release = () => {};
  let ready = Promise.resolve();
  const daemon = startFakeDaemon({
    "GET /api/agents/agt_1/gitstatus": async () => {
      await ready;
      return { git: true, items: [], mark };
    },
    "GET /api/agents/agt_1/git/head": () => ({ git: true, ...mark }),
  });
  const reads = (end: string) =>
    daemon.requests.filter(({ path }) => path.endsWith(end)).length;
  using page = mountPage(() =>
    useStatus(
      "agt_1",
      () => undefined,
      () => true,
    ),
  );
  const { repository, revision } = page.result;
  await vi.waitFor(() => expect(repository.value?.mark.token).toBe("1"));
  ready = new Promise((resolve) => (release = resolve));
  mark = { key: "1", token: "2" };
  // Each poll is asked for when the answer of the one before it has been taken.
  for (const polls of [2, 3, 4]) {
    page.emit("agents.turn-finished", "agt_1");
    await vi.waitFor(() => expect(reads("/git/head")).toBe(polls));
  }
  expect([revision.value, reads("/gitstatus")]).toEqual([1, 2]);
  release();
  await vi.waitFor(() => expect(repository.value?.mark.token).toBe("2"));
});
