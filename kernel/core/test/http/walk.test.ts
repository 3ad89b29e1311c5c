import { once } from "node:events";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { Session } from "node:inspector/promises";
import { text } from "node:stream/consumers";
import { temporaryFolder } from "@gantry/build/testing";
import { expect, onTestFinished, test } from "vitest";
import { createIdentifier, defineRoute } from "@gantry/plugin";
import { pageOf, pageQuery, storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { createSystemClock, loadConfig, startKernel } from "../../src/index.ts";
import { createProbe } from "../support/probe.ts";

const note = z.strictObject({ ...storedFields, title: z.string() });

/** Lists its records as `GET /api/snips` does: it knows their ids, and reads each of them. */
const notes = createProbe({
  setup(ctx) {
    const records = ctx.store.collection({
      name: "note",
      version: 1,
      schema: note,
    });
    const ids: string[] = [];
    ctx.route(
      defineRoute({
        method: "GET",
        path: "/api/probe",
        summary: "The notes",
        access: "session",
        query: pageQuery,
        returns: pageOf(note),
        async handle({ query: { limit } }) {
          const found = await Promise.all(
            ids.slice(0, limit).map((id) => records.get(id)),
          );
          return {
            items: found.filter((each) => each !== undefined),
            nextCursor: null,
          };
        },
      }),
    );
    return (async () => {
      const id = createIdentifier("not");
      await records.insert({ id, title: "Milk" });
      ids.push(id);
    })();
  },
});

/** What may run for a request, in its order. */
const WALK = [
  "http/src/listener.ts",
  "http/src/app.ts",
  "http/src/http-request.ts",
  "http/src/gate.ts",
  "core/src/auth/authenticator.ts",
  "core/src/auth/sessions.ts",
  "http/src/operation.ts",
  "store/src/collection-reader.ts",
  "store/src/record-layout.ts",
  "store/src/engine.ts",
  "store/src/snapshot-reader.ts",
  "http/src/reply.ts",
];

const ROUNDS = 5;

/** Packages that a plugin or a test uses, and no hop of a request. */
const BESIDE = /\/kernel\/(contract|testing|\w+\/test)\//;

/** Source files of the kernel in which a function runs during some work, observers included. */
async function findWalk(work: () => Promise<void>): Promise<string[]> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  const mode = { callCount: true, detailed: false };
  await inspector.post("Profiler.startPreciseCoverage", mode);
  await work();
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  inspector.disconnect();
  return result
    .filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    )
    .map(({ url }) => url)
    .filter((url) => !BESIDE.test(url) && !url.includes("/node_modules/"))
    .flatMap((url) => url.split("/kernel/")[1] ?? []);
}

// Alone, since timers that other tests left would run in the middle of it.
test(
  "a request that reads a record passes these files and no others",
  { tags: "alone" },
  async () => {
    const home = await temporaryFolder();
    const kernel = await startKernel({
      clock: createSystemClock(),
      config: await loadConfig({ home, port: "0", log: "silent" }, {}),
      version: "0.0.0-test",
      sink: () => {},
      builtinPlugins: undefined,
      rehearse: () => Promise.reject(new Error("Not here.")),
      definitions: [notes],
    });
    onTestFinished(() => kernel.stop());
    const { token } = await kernel.http.sessions.create("Test", "127.0.0.1");
    const ask = async () => {
      // A connection of its own, so that nothing of an earlier request is known.
      const request = get(
        `http://127.0.0.1:${kernel.port}/api/probe?limit=10`,
        {
          agent: false,
          headers: { cookie: `gantry_session=${token}` },
        },
      );
      const [answer] = (await once(request, "response")) as [IncomingMessage];
      expect(answer.statusCode).toBe(200);
      expect(await text(answer)).toContain("Milk");
    };
    // What is done once, such as the compilation of a schema, is no part of the walk.
    await ask();
    let walk = await findWalk(ask);
    // A timer of the daemon may run meanwhile, but not each time.
    for (let round = 1; round < ROUNDS; round++) {
      const files = await findWalk(ask);
      walk = walk.filter((file) => files.includes(file));
    }
    expect(walk.sort()).toEqual([...WALK].sort());
  },
);
