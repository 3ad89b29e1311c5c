import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient, send } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { askForAll, knowNothing, learn } from "../support/event-fold.ts";
import type { Knowledge } from "../support/event-fold.ts";
import { createEventFollower } from "../support/event-follower.ts";
import type { EventFollower, StreamEvent } from "../support/event-follower.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const AT_ONCE = 8;
const POLL = { interval: 20 };
/** Bytes from one cut to the next: no divisor of anything in the stream. */
const STEP = 61;

describe("a client that is cut off", () => {
  let stack: AsyncDisposableStack;
  let daemon: Daemon;
  let api: ApiClient;
  let follower: EventFollower;
  /** Everything that happened, and what a client knew after each of it. */
  const history: StreamEvent[] = [];
  const known: Knowledge[] = [knowNothing()];

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("event-stream"));
    daemon = stack.use(await startDaemon(join(folder.path, "home")));
    api = await createApiClient(daemon);
    follower = await createEventFollower(daemon);
  });

  afterAll(() => stack.disposeAsync());

  test(
    "behind every event of a long script knows after each step what the daemon knows",
    { tags: "thorough" },
    async () => {
      const over = new AbortController();
      const { signal } = over;
      const following = (async () => {
        while (!signal.aborted) {
          const last = history.at(-1)?.id ?? 0;
          const glimpse = await follower.follow(last, { events: 1, signal });
          expect(glimpse.isReset).toBe(false);
          history.push(...glimpse.events);
          known.push(learn(known.at(-1)!, glimpse.events));
        }
      })();
      try {
        for await (const step of script(api, daemon)) await expectSame(step);
      } finally {
        over.abort();
        await following;
      }
      // The last glimpse was cut before anything came.
      known.length = history.length + 1;
      expect(history.length).toBeGreaterThan(80);
      expect(history.map(({ id }) => id)).toEqual(
        history.map((_, index) => index + 1),
      );
    },
  );

  test("and comes back behind any of them, has missed nothing and hears nothing twice", async () => {
    const end = history.length;
    const expected = known[end]!;
    await inTurns(history.keys(), async (place) => {
      const { events, isReset } = await follower.follow(place, { id: end });
      expect(isReset).toBe(false);
      expect(events, `after ${place}`).toEqual(history.slice(place));
      expect(learn(known[place]!, events)).toEqual(expected);
    });
  });

  test(
    "within any event takes it again, whole",
    { tags: "thorough" },
    async () => {
      const end = history.length;
      const { bytes } = await follower.follow(0, { id: end });
      const cuts = Array.from(
        { length: Math.floor(bytes / STEP) },
        (_, n) => n * STEP + 1,
      );
      await inTurns(cuts, async (cut) => {
        const first = await follower.follow(0, { bytes: cut });
        const place = first.events.at(-1)?.id ?? 0;
        expect(first.events).toEqual(history.slice(0, place));
        const second = await follower.follow(place, { id: end });
        expect(second.events, `cut at byte ${cut}`).toEqual(
          history.slice(place),
        );
      });
    },
  );

  /** Waits until nothing changes and the client has all events; then both know the same. */
  async function expectSame(step: string): Promise<void> {
    for (;;) {
      const before = await latest(api);
      await vi.waitFor(
        () => expect(history.length).toBeGreaterThanOrEqual(before),
        POLL,
      );
      const told = await askForAll(api);
      if ((await latest(api)) !== before) continue;
      expect(known.at(-1), step).toEqual(told);
      return;
    }
  }
});

async function latest(api: ApiClient): Promise<number> {
  const { body } = await api.call<{ latest: number }>(
    "GET",
    "/api/events/log?after=999999999",
  );
  return body.latest;
}

async function inTurns<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.next(); !next.done; next = queue.next())
        await work(next.value);
    }),
  );
}

/** A working day: something of every kind happens, and ends in every way. Gives each step when it was answered. */
async function* script(api: ApiClient, daemon: Daemon): AsyncGenerator<string> {
  const call = async <Body = { id: string }>(
    method: string,
    path: string,
    body: object = {},
  ): Promise<Body> => {
    const answer = await api.call<Body>(
      method,
      path,
      method === "GET" ? undefined : body,
    );
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const pair = async (device: string) => {
    const { code } = await call<{ code: string }>("POST", "/api/auth/pairings");
    const { body } = await send<{ session: { id: string } }>(
      daemon.base,
      "POST",
      "/pair",
      { code, device },
      { origin: daemon.base },
    );
    return body.session.id;
  };
  yield "the start";

  const phone = await pair("Phone");
  await pair("Tablet");
  yield "two devices";
  await call("DELETE", `/api/auth/sessions/${phone}`);
  yield "one revoked";

  const agent = await call("POST", "/api/agents", { name: "Ada" });
  const path = `/api/agents/${agent.id}`;
  const ask = (text: string) => call("POST", `${path}/ask`, { text });
  yield "an agent";
  await ask("[[reply:good morning]]");
  await ask("[[run:true]][[cost:0.1]][[reply:é\u2028\u0001]]");
  yield "two answers";
  await call("POST", `${path}/prompt`, {
    message: "[[ask:May I?]][[reply:yes]]",
  });
  await call("POST", `${path}/prompt`, { message: "[[reply:queued]]" });
  yield "a question";
  const dialogId = await pollFor(
    async () =>
      (await call<{ dialog: { id: string } | null }>("GET", path)).dialog?.id,
  );
  await call("POST", `${path}/ui`, { dialogId, optionId: "once" });
  yield "its answer";
  await call("POST", `${path}/prompt`, { message: "[[ask:Really?]]" });
  await pollFor(
    async () => (await call<{ dialog: object | null }>("GET", path)).dialog,
  );
  await call("POST", `${path}/abort`);
  yield "a question that is moot";
  await api.call("POST", `${path}/ask`, { text: "[[fail:no quota]]" });
  await api.call("POST", `${path}/ask`, { text: "[[crash]]" });
  await call("POST", `${path}/close`);
  yield "failures";

  const { automation, webhookSecret } = await call<{
    automation: { id: string };
    webhookSecret: string;
  }>("POST", "/api/automations", {
    name: "Brief",
    prompt: "[[sleep:200]][[reply:news]]",
    webhook: true,
    limits: { maxRunsPerHour: 3 },
  });
  const base = `/api/automations/${automation.id}`;
  yield "an automation";
  for (let n = 0; n < 3; n++) {
    await call("POST", `${base}/run`);
    await send(daemon.base, "POST", `${base}/fire`, "payload", {
      authorization: `Bearer ${webhookSecret}`,
    });
    await pollFor(async () =>
      (
        await call<{ items: { result: string }[] }>("GET", `${base}/runs`)
      ).items.every(({ result }) => result !== "running"),
    );
    yield `run ${n}`;
  }
  await call("POST", `${base}/run`);
  await call("PATCH", base, { name: "Morning brief", enabled: false });
  yield "a cap, and another name";

  const { items } = await call<{
    items: { id: string; kind: string; blocking: boolean }[];
  }>("GET", "/api/inbox");
  for (const { id, blocking } of items.slice(0, 3)) {
    await call("POST", `/api/inbox/${id}/state`, { state: "read" });
    if (!blocking)
      await call("POST", `/api/inbox/${id}/state`, { state: "done" });
  }
  const last = items.at(-1)!;
  await call("DELETE", `/api/inbox/${last.id}`);
  yield "an Inbox that was read";

  await call("DELETE", base);
  await call("DELETE", path, { transcript: true, workFolder: true });
  yield "the end";
}

/** Asks again and again until there is something. */
async function pollFor<Value>(
  read: () => Promise<Value | null | undefined | false>,
): Promise<Value> {
  return vi.waitFor(async () => {
    const value = await read();
    if (!value) throw new Error("It is not there.");
    return value;
  }, POLL);
}
