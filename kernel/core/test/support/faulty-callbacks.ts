import { callControl, controlPath } from "@gantry/system/home/control";
import type { Daemon } from "./daemon.ts";
import { openSocket } from "./web-socket.ts";

/** A place of the plugin contract through which code of a plugin runs, in a plugin that misbehaves there. */
export interface FaultyCallback {
  /**
   * Body of the plugin's `setup`. `fault()` misbehaves in the way under test. The names in {@link PREAMBLE} are there, and `ID`
   * is the plugin's id.
   */
  setup: string;
  /** Further members of its definition. */
  definition?: string;
  /** A second plugin with the id `<ID>-other`, `ID` being that of the first. */
  other?: { setup: string; definition: string };
  /** Makes the kernel call it. A GET of the plugin's route unless given. */
  provoke?(host: ProvokeHost): Promise<unknown>;
  /** Why the kernel never calls it. */
  isNeverCalled?: string;
}

/** What is needed to provoke a callback. */
export interface ProvokeHost {
  daemon: Daemon;
  home: string;
  id: string;
}

/** Ways to misbehave. */
export const MODES = {
  throws: `throw new Error("Fault of " + ID);`,
  rejects: `return Promise.reject(new Error("Fault of " + ID));`,
  floats: `void Promise.reject(new Error("Fault of " + ID));`,
  timer: `setTimeout(() => { throw new Error("Fault of " + ID); }, 0);`,
} as const;
export type Mode = keyof typeof MODES;

/** Stands before the code of each plugin. */
export const PREAMBLE = `
import { once } from "node:events";
import { createServer } from "node:net";
import { Readable } from "node:stream";
const FINE = { kind: "bytes", mediaType: "text/plain", body: "fine" };
const route = (own) => ({
  method: "GET", path: "/api/" + ID, summary: "x", access: "session", returns: "bytes", handle: () => FINE, ...own,
});
const socket = (own) => ({ path: "/api/" + ID, summary: "x", access: "session", ...own });
const schema = (validate = (value) => ({ value })) => ({
  "~standard": {
    version: 1, vendor: "test", validate,
    jsonSchema: {
      input: () => ({ type: "object", additionalProperties: false }),
      output: () => ({ type: "object" }),
    },
  },
});
const collection = (own) => ({ name: "thing", version: 1, schema: schema(), ...own });
const event = { kind: "event", type: ID + ".happened", summary: "x", of: (subject, data) => ({ type: ID + ".happened", subject, data }) };
const service = { kind: "service", id: ID + ".service@1" };
`;

const collectionCall = (own: string, call: string): FaultyCallback => ({
  setup: `
    const things = ctx.store.collection(collection({ ${own} }));
    ctx.route(route({ async handle() { ${call}; return FINE; } }));`,
});

const processOutput = (stream: "stdout" | "stderr"): FaultyCallback => ({
  setup: `
    ctx.route(route({ async handle() {
      const child = await ctx.run("/bin/sh", ["-c", "echo out; echo error >&2"]);
      child.${stream}.on("data", () => fault());
      await child.exited;
      return FINE;
    } }));`,
});

/** Takes a plugin out of the running daemon, which stops it. */
const remove = ({ home }: ProvokeHost, id: string) =>
  callControl(controlPath(home), "plugins-remove", { id });

const openOwnSocket = async ({ daemon, id }: ProvokeHost) => {
  const token = daemon.authorization;
  return openSocket(`http://127.0.0.1:${daemon.port}/api/${id}`, {
    authorization: token,
    origin: `http://127.0.0.1:${daemon.port}`,
  });
};

/** Opens a socket, which may be refused. */
const trySocket = (host: ProvokeHost) =>
  openOwnSocket(host).catch(() => undefined);

/** Asks for something and leaves once the plugin has said that it is running. */
async function leaveOnceArmed({ daemon, id }: ProvokeHost): Promise<void> {
  const leaving = new AbortController();
  const answer = daemon
    .call(`/api/${id}`, { signal: leaving.signal })
    .catch(() => undefined);
  await daemon.logged((line) => line.from === id && line.message === "Armed");
  leaving.abort();
  await answer;
}

const oneMinute = async ({ daemon }: ProvokeHost) => daemon.kill("SIGUSR2");
const removeOwn = (host: ProvokeHost) => remove(host, host.id);

/** A plugin that misbehaves, for each place that {@link listContractCallbacks} lists. */
export const FAULTY_CALLBACKS: Readonly<Record<string, FaultyCallback>> = {
  "BodyFormat.lines": {
    setup: `ctx.route(route({ method: "POST", body: "bytes", bodyFormat: {
      mediaType: "application/x-ndjson", lines: schema(() => fault()),
    } }));`,
    isNeverCalled: "it only describes the body, which the handler reads",
    provoke: ({ daemon, id }) =>
      daemon.call(`/api/${id}`, { method: "POST", body: "{}" }),
  },
  "ByteStream.stream": {
    setup: `ctx.route(route({ handle: () => ({ ...FINE, body: { length: 4, stream: new Readable({
      read() { this.push("fine"); this.push(null); fault(); },
    }) } }) }));`,
  },
  "Clock.after(callback)": {
    setup: `ctx.clock.after(30_000, () => fault());`,
    provoke: oneMinute,
  },
  "Collection.update(change)": collectionCall(
    "",
    `await things.insert({ id: "one" }); await things.update("one", () => fault())`,
  ),
  "CollectionDefinition.indexes": collectionCall(
    `indexes: { kind: () => fault() ?? ["x"] }`,
    `await things.insert({ id: "one" })`,
  ),
  "CollectionDefinition.migrate": {
    setup: `
      await ctx.store.set("thing:one", { v: 0, data: { id: "one" } });
      const things = ctx.store.collection(collection({ migrate: (data) => fault() ?? data }));
      ctx.route(route({ async handle() { await things.get("one"); return FINE; } }));`,
  },
  "CollectionDefinition.schema": collectionCall(
    `schema: schema((value) => fault() ?? { value })`,
    `await things.insert({ id: "one" }); await things.get("one")`,
  ),
  "ConnectOptions.judge": {
    setup: `ctx.route(route({ async handle() {
      await ctx.connect({ host: "127.0.0.1", port: 1, judge: () => fault() })
        .catch((error) => { if (error.code !== "ECONNREFUSED") throw error; });
      return FINE;
    } }));`,
  },
  "EventStreamAnswer.open": {
    setup: `ctx.route(route({ returns: "event-stream", handle: () => ({ kind: "event-stream", open(client) {
      client.send({ data: 1 }); setImmediate(() => client.close()); return fault();
    } }) }));`,
  },
  "EventToken.of": {
    definition: `events: [{ ...event, of: () => fault() }],`,
    setup: `ctx.route(route({ async handle() { await ctx.emit(event.of("x", {})); return FINE; } }));`,
    isNeverCalled: "the plugin makes its events itself",
  },
  "HomeReplacement.beforeReplacing": {
    setup: `ctx.route(route({ async handle() {
      const stage = await ctx.wholeHome.stage();
      await ctx.wholeHome.replace({ stage, mode: "merge", keepsSessions: true, note: {}, async beforeReplacing() {
        await fault();
        throw new Error("Nothing is to be replaced.");
      } });
      return FINE;
    } }));`,
  },
  "IdentifierParameter.missing": {
    setup: `ctx.route(route({ path: "/api/" + ID + "/{id}", params: { id: {
      prefix: "x", missing: () => fault() ?? new Error("Fault of " + ID),
    } } }));`,
    provoke: ({ daemon, id }) => daemon.call(`/api/${id}/none`),
  },
  "ListOptions.filter": collectionCall(
    "",
    `await things.insert({ id: "one" }); await things.list({ filter: () => fault() ?? true })`,
  ),
  "PluginContext.connect": {
    setup: `ctx.route(route({ async handle() {
      const server = createServer((socket) => socket.end("x")).listen(0, "127.0.0.1");
      await once(server, "listening");
      const socket = await ctx.connect({ host: "127.0.0.1", port: server.address().port });
      socket.on("data", () => fault());
      await once(socket, "close");
      server.close();
      return FINE;
    } }));`,
  },
  "PluginContext.cron(job)": {
    setup: `ctx.cron("* * * * *", () => fault(), { timezone: "UTC" });`,
    provoke: oneMinute,
  },
  "PluginContext.cron(job)(signal)": {
    setup: `ctx.cron("* * * * *", (signal) => new Promise((resolve) => {
      ctx.log.info("Armed");
      signal.addEventListener("abort", () => { resolve(); return fault(); });
    }), { timezone: "UTC" });`,
    async provoke(host) {
      await oneMinute(host);
      await host.daemon.logged(
        (line) => line.from === host.id && line.message === "Armed",
      );
      await removeOwn(host);
    },
  },
  "PluginContext.on(listener)": {
    definition: `events: [event],`,
    setup: `
      ctx.on(event, () => fault());
      ctx.route(route({ async handle() { await ctx.emit(event.of("x", {})); return FINE; } }));`,
  },
  "PluginContext.own(dispose)": {
    setup: `ctx.own(() => fault());`,
    provoke: removeOwn,
  },
  "PluginContext.prepare(work)": {
    setup: `ctx.route(route({ async handle() { await ctx.prepare(() => fault()); return FINE; } }));`,
  },
  "PluginContext.provide(service)": {
    definition: `provides: [service],`,
    setup: `ctx.provide(service, { work: async () => fault() });`,
    other: {
      definition: `needs: { service },`,
      setup: `ctx.route(route({ path: "/api/" + ID + "-other", async handle() {
        await ctx.needs.service.work(); return FINE;
      } }));`,
    },
    provoke: ({ daemon, id }) => daemon.call(`/api/${id}-other`),
  },
  "PluginContext.signal": {
    setup: `ctx.signal.addEventListener("abort", () => fault());`,
    provoke: removeOwn,
  },
  "PluginContext.diagnose(check)": {
    setup: `ctx.diagnose(() => fault());`,
    provoke: ({ daemon }) => daemon.call("/api/doctor"),
  },
  "PluginContext.whenThere(work)": {
    definition: `wants: { service },`,
    setup: `ctx.whenThere(service, () => fault());`,
    other: {
      definition: `provides: [service],`,
      setup: `ctx.provide(service, {});`,
    },
    provoke: async () => {},
  },
  "PluginContext.whenThere(work)(gone)": {
    definition: `wants: { service },`,
    setup: `ctx.whenThere(service, (_, gone) => gone.addEventListener("abort", () => fault()));`,
    other: {
      definition: `provides: [service],`,
      setup: `ctx.provide(service, {});`,
    },
    provoke: (host) => remove(host, `${host.id}-other`),
  },
  "PluginDefinition.config": {
    definition: `config: schema((value) => fault() ?? { value }),`,
    setup: "",
    provoke: async () => {},
  },
  "PluginDefinition.setup": {
    setup: `return fault();`,
    provoke: async () => {},
  },
  "RouteDefinition.authorize": {
    setup: `ctx.route(route({ method: "POST", access: "self", authorize: () => fault() }));`,
    provoke: ({ daemon, id }) =>
      fetch(`http://127.0.0.1:${daemon.port}/api/${id}`, { method: "POST" }),
  },
  "RouteDefinition.settled": {
    setup: `ctx.route(route({ method: "POST", access: "self", authorize: () => {}, settled: () => fault() }));`,
    provoke: ({ daemon, id }) =>
      fetch(`http://127.0.0.1:${daemon.port}/api/${id}`, { method: "POST" }),
  },
  "RouteDefinition.body": {
    setup: `ctx.route(route({ method: "POST", body: schema((value) => fault() ?? { value }) }));`,
    provoke: ({ daemon, id }) =>
      daemon.call(`/api/${id}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          origin: `http://127.0.0.1:${daemon.port}`,
        },
        body: "{}",
      }),
  },
  "RouteDefinition.handle": {
    setup: `ctx.route(route({ handle: () => fault() ?? FINE }));`,
  },
  "RouteDefinition.query": {
    setup: `ctx.route(route({ query: schema((value) => fault() ?? { value }) }));`,
  },
  "RouteDefinition.returns": {
    setup: `ctx.route(route({ returns: schema((value) => fault() ?? { value }), handle: () => ({}) }));`,
  },
  "RouteRequest.signal": {
    setup: `ctx.route(route({ handle: ({ signal }) => new Promise((resolve) => {
      ctx.log.info("Armed");
      signal.addEventListener("abort", () => { resolve(FINE); return fault(); });
    }) }));`,
    provoke: leaveOnceArmed,
  },
  "RunningProcess.pipes": {
    setup: `ctx.route(route({ async handle() {
      const child = await ctx.run("/bin/sh", ["-c", "echo out >&3"], { pipes: 1 });
      child.pipes[0].on("data", () => fault());
      await child.exited;
      return FINE;
    } }));`,
  },
  "RunningProcess.stderr": processOutput("stderr"),
  "RunningProcess.stdin": {
    setup: `ctx.route(route({ async handle() {
      const child = await ctx.run("/bin/cat", []);
      child.stdin.on("finish", () => fault());
      child.stdin.end("x");
      await child.exited;
      return FINE;
    } }));`,
  },
  "RunningProcess.stdout": processOutput("stdout"),
  "ServiceCaller.run(callback)": {
    definition: `wants: { service },`,
    setup: `ctx.whenThere(service, (given) => given.keep(() => fault()));`,
    other: {
      definition: `provides: [service],`,
      setup: `
        let callback;
        ctx.provide(service, { keep(given) {
          const caller = ctx.caller();
          callback = () => caller.run(given);
        } });
        ctx.route(route({ path: "/api/" + ID + "-other", async handle() {
          await callback(); return FINE;
        } }));`,
    },
    provoke: ({ daemon, id }) => daemon.call(`/api/${id}-other`),
  },
  "HandlerDefinition.handle": {
    setup: `ctx.handler({ path: "/api/" + ID, summary: "x", access: "session", handle: (event) => {
      ctx.log.info("Armed");
      const { signal } = event.req;
      const left = once(signal, "abort");
      signal.addEventListener("abort", () => fault());
      return left;
    } });`,
    provoke: leaveOnceArmed,
  },
  "SocketDefinition.admit": {
    setup: `ctx.socket(socket({ admit: () => fault() }));`,
    provoke: trySocket,
  },
  "SocketDefinition.authorize": {
    setup: `ctx.socket(socket({ access: "self", authorize: () => fault() }));`,
    provoke: trySocket,
  },
  "SocketDefinition.close": {
    setup: `ctx.socket(socket({ close: () => fault() }));`,
    async provoke(host) {
      const opened = await openOwnSocket(host);
      opened.close();
      await opened.closed;
    },
  },
  "SocketDefinition.message": {
    setup: `ctx.socket(socket({ message: () => fault() }));`,
    provoke: async (host) => (await openOwnSocket(host)).send("x"),
  },
  "SocketDefinition.open": {
    setup: `ctx.socket(socket({ open: () => fault() }));`,
    provoke: trySocket,
  },
  "StreamClient.signal": {
    setup: `ctx.route(route({ returns: "event-stream", handle: () => ({ kind: "event-stream", open(client) {
      ctx.log.info("Armed");
      client.signal.addEventListener("abort", () => fault());
    } }) }));`,
    provoke: leaveOnceArmed,
  },
};
