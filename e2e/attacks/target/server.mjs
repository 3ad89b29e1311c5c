// A plugin of the daemon under attack: what no real plugin has. Installed into the home of the test, so it uses nothing
// but what any third party can use.
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Stands in every fault, and must stand in no answer. */
const INNARDS = "ENOENT: /root/canary-innards at canaryFunction";

const faults = {
  error() {
    throw new Error(INNARDS);
  },
  rejection: () => Promise.reject(new Error(INNARDS)),
  text() {
    throw INNARDS;
  },
  nothing() {
    throw undefined;
  },
  status() {
    throw Object.assign(new Error(INNARDS), {
      status: 418,
      statusCode: 418,
      statusText: INNARDS,
      data: { secret: INNARDS },
      headers: { "x-canary": INNARDS },
    });
  },
  overflow: () => faults.overflow() + 1,
  getter: () =>
    Object.defineProperty({}, "kind", {
      get() {
        throw new Error(INNARDS);
      },
    }),
  undefined: () => undefined,
  bigint: () => ({ kind: "bytes", mediaType: "text/plain", body: 1n }),
};

const json = (value) => ({
  kind: "bytes",
  mediaType: "application/json",
  body: JSON.stringify(value),
});

export default {
  id: "attack-target",
  api: 1,
  summary: "What attacks aim at",
  mounts: ["/api/target"],
  setup(ctx) {
    /** Connections by the tag that the attacker gave them. */
    const tagged = new Map();
    const note = ({ request, socket }) => {
      const tag = request.headers["x-attack-tag"];
      if (tag !== undefined) tagged.set(tag, socket);
    };
    subscribe("http.server.request.start", note);
    ctx.own(() => unsubscribe("http.server.request.start", note));

    const get = (path, handle, returns = "bytes") =>
      ctx.route({
        method: "GET",
        path,
        summary: "Made for a test",
        access: "session",
        returns,
        handle,
      });
    get("/api/target/insight", () =>
      json({
        polluted: {}.polluted ?? null,
        cpuUs: process.cpuUsage().user + process.cpuUsage().system,
        read: Object.fromEntries(
          [...tagged].map(([tag, socket]) => [tag, socket.bytesRead]),
        ),
      }),
    );
    get("/api/target/fault/{kind}", ({ params }) => faults[params.kind]());
    get(
      "/api/target/broken-stream",
      () => ({
        kind: "event-stream",
        open(client) {
          client.send({ event: "one", data: 1 });
          throw new Error(INNARDS);
        },
      }),
      "event-stream",
    );
    ctx.route({
      method: "POST",
      path: "/api/target/fault",
      summary: "Made for a test",
      access: "session",
      returns: "bytes",
      handle: faults.error,
    });
    ctx.socket({
      path: "/api/target/echo",
      summary: "Made for a test",
      access: "session",
      message(peer, data) {
        if (data === "throw") throw new Error(INNARDS);
        peer.send(data);
      },
    });
  },
};
