import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { runs, temporaryFolder } from "@gantry/build/testing";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { bytes, eventStream } from "@gantry/plugin";
import type { RequestHead } from "@gantry/plugin";
import { settle } from "../../../testing/src/fake-clock.ts";
import { pluginCode, putPlugin, spawnGantry } from "../support/daemon.ts";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { openRaw, renderRequest } from "../support/raw-http.ts";
import type { RawConnection } from "../support/raw-http.ts";

const HANDSHAKE = [
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["sec-websocket-version", "13"],
  ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
] as const;

const CLOSE = [["connection", "close"]] as const;

const NAMED = z.strictObject({ name: z.string() });

/** What stays open, and where its plugin waits before. */
const KINDS = ["socket", "stream", "bytes"] as const;
type Kind = (typeof KINDS)[number];

/** A kernel whose plugin waits in each request until the test lets it continue. */
async function startGates() {
  const waiting = new Map<string, () => void>();
  const released = new Set<string>();
  const wait = (name: string) =>
    new Promise<void>((resolve) => {
      if (released.has(name)) resolve();
      else waiting.set(name, resolve);
    });
  const nameOf = ({ search }: Pick<RequestHead, "search">) =>
    search.get("name") ?? "";
  const kernel = await startProbe({
    setup(ctx) {
      ctx.socket({
        path: "/api/probe/socket",
        summary: "Made for a test",
        access: "session",
        admit: (head) => wait(nameOf(head)),
      });
      const common = {
        method: "GET",
        summary: "Made for a test",
        access: "session",
      } as const;
      ctx.route({
        ...common,
        path: "/api/probe/stream",
        query: NAMED,
        returns: "event-stream",
        async handle(request) {
          await wait(nameOf(request));
          return eventStream(() => {});
        },
      });
      ctx.route({
        ...common,
        path: "/api/probe/bytes",
        query: NAMED,
        returns: "bytes",
        async handle(request) {
          await wait(nameOf(request));
          const stream = new Readable({ read() {} });
          return bytes("text/plain", { length: 10, stream });
        },
      });
    },
  });
  return Object.assign(kernel, {
    release(name: string) {
      released.add(name);
      waiting.get(name)?.();
    },
  });
}

type Gates = Awaited<ReturnType<typeof startGates>>;

/** A client with a session of its own, which may ask once and then leave in one of two ways. */
class Client {
  readonly #kernel: Gates;
  readonly #kind: Kind;
  readonly name: string;
  readonly sessionId: string;
  readonly #cookie: string;
  #connection: RawConnection | undefined;
  isRevoked = false;
  hasLeft = false;

  constructor(
    kernel: Gates,
    kind: Kind,
    name: string,
    { sessionId, cookie }: { sessionId: string; cookie: string },
  ) {
    this.#kernel = kernel;
    this.#kind = kind;
    this.name = name;
    this.sessionId = sessionId;
    this.#cookie = cookie;
  }

  /** Whether what it asked for is to be open once its plugin has let it in. */
  get isOpen(): boolean {
    return this.#connection !== undefined && !this.hasLeft && !this.isRevoked;
  }

  async ask(): Promise<void> {
    if (this.#connection || this.hasLeft || this.isRevoked) return;
    const { host, hostname, port, origin } = new URL(this.#kernel.url);
    this.#connection = await openRaw(Number(port), hostname);
    this.#connection.write(
      renderRequest({
        target: `/api/probe/${this.#kind}?name=${this.name}`,
        headers: [
          ["host", host],
          ["cookie", this.#cookie],
          ["origin", origin],
          // A refused request must not keep its connection open for the next one.
          ...(this.#kind === "socket" ? HANDSHAKE : CLOSE),
        ],
      }),
    );
  }

  leave(how: "reset" | "end"): void {
    if (!this.#connection || this.hasLeft) return;
    this.hasLeft = true;
    if (how === "reset") this.#connection.socket.resetAndDestroy();
    else this.#connection.socket.end();
  }

  async revoke(): Promise<void> {
    if (this.isRevoked) return;
    this.isRevoked = true;
    await this.#kernel.kernel.http.sessions.end(this.sessionId);
  }

  /** Resolves when the daemon has closed its connection. */
  async closed(): Promise<void> {
    await this.#connection?.closed;
  }
}

const ACTIONS = ["ask", "release", "reset", "end", "revoke", "settle"] as const;

const step = fc.record({
  client: fc.nat({ max: KINDS.length - 1 }),
  action: fc.constantFrom(...ACTIONS),
});

async function act(
  kernel: Gates,
  client: Client,
  action: (typeof ACTIONS)[number],
): Promise<void> {
  if (action === "ask") await client.ask();
  else if (action === "release") kernel.release(client.name);
  else if (action === "revoke") await client.revoke();
  else if (action === "settle") await settle();
  else client.leave(action);
}

const soon = (check: () => void) => vi.waitFor(check, { interval: 1 });

/** What a kernel holds for those that are connected. */
const held = ({ kernel, clock }: ProbedKernel) => ({
  connections: kernel.http.connections.size,
  sockets: kernel.http.sockets.connected,
  online: kernel.http.connections.onlineSessions().size,
  timers: clock.pending,
});

test("clients that leave or are revoked at any moment leave nothing open", async () => {
  await using kernel = await startGates();
  kernel.expectFault(/An answer was cut short/);
  const empty = held(kernel);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (steps) => {
        run++;
        const clients: Client[] = [];
        for (const kind of KINDS) {
          const session = await kernel.pairAs(kind);
          clients.push(new Client(kernel, kind, `${kind}-${run}`, session));
        }
        for (const { client, action } of steps)
          await act(kernel, clients[client]!, action);
        for (const { name } of clients) kernel.release(name);
        const open = clients.filter(({ isOpen }) => isOpen);
        const sockets = open.filter(({ name }) => name.startsWith("socket"));
        await soon(() =>
          expect(held(kernel)).toMatchObject({
            connections: open.length,
            sockets: sockets.length,
            online: open.length,
          }),
        );
        // What was revoked is closed from the daemon's side.
        for (const client of clients)
          if (client.isRevoked && !client.hasLeft) await client.closed();
        for (const client of clients) client.leave("reset");
        await soon(() => expect(held(kernel)).toEqual(empty));
        for (const client of clients) await client.revoke();
      },
    ),
    { numRuns: runs(25) },
  );
});

test("clients that leave while their socket is let in give back their places", async () => {
  await using kernel = await startGates();
  const session = await kernel.pairAs("Impatient");
  const knock = (name: string) => new Client(kernel, "socket", name, session);
  // More than one session may have open.
  for (let round = 0; round < 70; round++) {
    const client = knock(`left-${round}`);
    await client.ask();
    await soon(() => expect(held(kernel).sockets).toBe(1));
    client.leave("reset");
    kernel.release(client.name);
    await soon(() => expect(held(kernel).sockets).toBe(0));
  }
  const patient = knock("patient");
  await patient.ask();
  kernel.release(patient.name);
  await soon(() => expect(held(kernel).connections).toBe(1));
});

test.each(["token", "loopback"] as const)(
  "what was opened by %s while that ended is closed",
  async (by) => {
    await using kernel = await startGates();
    const { http } = kernel.kernel;
    if (by === "loopback") await http.mode.set("loopback");
    const token = by === "token" ? await http.token.rotate() : "";
    const { host, hostname, port } = new URL(kernel.url);
    const connection = await openRaw(Number(port), hostname);
    const headers: [string, string][] = [["host", host]];
    if (token) headers.push(["authorization", `Bearer ${token}`]);
    connection.write(
      renderRequest({ target: "/api/probe/stream?name=late", headers }),
    );
    await settle();
    if (by === "token") await http.token.rotate();
    else await http.mode.set("all");
    kernel.release("late");
    expect(await connection.answer()).toMatchObject({ status: 401 });
    expect(held(kernel).connections).toBe(0);
  },
);

test("a stream that was revoked is closed also if its client does not read", async () => {
  await using kernel = await startProbe({
    setup: (ctx) =>
      void ctx.route({
        method: "GET",
        path: "/api/probe",
        summary: "More than the buffers of the system hold",
        access: "session",
        returns: "event-stream",
        handle: () =>
          eventStream(async (client) => {
            const data = "x".repeat(50_000);
            while (!client.signal.aborted)
              if (!client.send({ data })) await client.drained();
          }),
      }),
  });
  const { sessionId, cookie } = await kernel.pairAs("Deaf");
  const { host, hostname, port } = new URL(kernel.url);
  const connection = await openRaw(Number(port), hostname);
  connection.socket.pause();
  const headers = [
    ["host", host],
    ["cookie", cookie],
  ] as const;
  connection.write(renderRequest({ target: "/api/probe", headers }));
  await soon(() => expect(held(kernel).connections).toBe(1));
  await kernel.kernel.http.sessions.end(sessionId);
  await soon(() => expect(held(kernel).connections).toBe(0));
});

test(
  "a client that resets its connection while the daemon starts costs nothing",
  { tags: "thorough" },
  async () => {
    const home = await temporaryFolder();
    const go = join(home, "go");
    await putPlugin(
      home,
      "slow",
      pluginCode(
        "slow",
        `process.stderr.write("Working\\n"); while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 5));`,
        'import { existsSync } from "node:fs";',
      ),
    );
    const port = await freePort();
    const { child, ended } = spawnGantry([
      "serve",
      ...["--home", home, "--port", String(port), "--json"],
    ]);
    await new Promise<void>((resolve) =>
      child.stderr.on("data", (text: string) => {
        if (text.includes("Working")) resolve();
      }),
    );
    for (let round = 0; round < 20; round++) {
      const connection = await openRaw(port);
      const headers = [["host", `localhost:${port}`], ...HANDSHAKE] as const;
      connection.write(renderRequest({ target: "/api/x", headers }));
      if (round % 2) await new Promise((resolve) => setImmediate(resolve));
      connection.socket.resetAndDestroy();
    }
    expect(existsSync(go)).toBe(false);
    await writeFile(go, "");
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill();
    expect(await ended).toMatchObject({ code: 0 });
  },
);

/** A port that nothing listens on now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve()),
  );
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
