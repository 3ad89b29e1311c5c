import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect } from "vitest";
import { listenersOf } from "../world/processes.ts";
import { HOOK_HOST } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { isHook, nameOf, paired, refusedByHook } from "./requests.ts";
import type { Header } from "./requests.ts";

/** 127.0.0.1 and ::1 as the system's table spells them. */
const LOOPBACK = ["0100007F", "00000000000000000000000001000000"];

const HOST_OR_SHAPE = [400, 403];

/** Names that are ours, as programs and browsers may write them. */
const OWN_NAMES = (port: number) => [
  `gantry.localhost:${port}`,
  `127.0.0.1:${port}`,
  `[::1]:${port}`,
  `localhost:${port}`,
  `GANTRY.LOCALHOST:${port}`,
  `LocalHost:${port}`,
];

/** Names that lead to this machine, or look as if they did. */
const FOREIGN_NAMES = (port: number) => [
  `evil.example:${port}`,
  "gantry.localhost",
  "gantry.localhost:1",
  `gantry.localhost:0${port}`,
  `gantry.localhost:+${port}`,
  `gantry.localhost:${port} `.trim() + "\t.evil",
  `localhost.:${port}`,
  `gantry.localhost.:${port}`,
  `localhost.com:${port}`,
  `127.0.0.1.nip.io:${port}`,
  `127.1:${port}`,
  `127.0.0.2:${port}`,
  `127.000.000.001:${port}`,
  `0177.0.0.1:${port}`,
  `0x7f.0.0.1:${port}`,
  `2130706433:${port}`,
  `0.0.0.0:${port}`,
  `[::]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[0:0:0:0:0:0:0:1]:${port}`,
  `[::1%25lo]:${port}`,
  `::1:${port}`,
  `192.168.1.5:${port}`,
  `evil.localhost:${port}`,
  `x.gantry.localhost:${port}`,
  `gantry-preview.localhost:${port}`,
  `gantry.localhost.evil.example:${port}`,
  `a@gantry.localhost:${port}`,
  `gantry.localhost:${port}.evil`,
  `gantry.localhost:${port}@evil`,
  `evil.example, gantry.localhost:${port}`,
  // Raw bytes go over the wire, so the letters are given as UTF-8 in Latin-1.
  Buffer.from(`①②⑦.⓪.⓪.①:${port}`).toString("latin1"),
  Buffer.from(`ｇantry.localhost:${port}`).toString("latin1"),
  "",
  `:${port}`,
  `http://gantry.localhost:${port}`,
  "null",
  HOOK_HOST,
];

/** Headers in which proxies tell what was asked of them. */
const PROXY_HEADERS: Header[] = [
  ["x-forwarded-host", "evil.example"],
  ["x-forwarded-for", "1.2.3.4"],
  ["x-forwarded-proto", "https"],
  ["x-forwarded-port", "1"],
  ["x-forwarded-prefix", "/evil"],
  ["forwarded", "host=evil.example;proto=https;for=1.2.3.4"],
  ["x-original-url", "/api/agents"],
  ["x-rewrite-url", "/api/agents"],
  ["x-http-method-override", "DELETE"],
  ["x-real-ip", "1.2.3.4"],
  ["via", "1.1 evil.example"],
];

const listAgents = (world: World, ...headers: Header[]) => ({
  target: "/api/agents",
  headers: [["cookie", world.cookie], ...headers] as Header[],
});

export const exposure: readonly Row[] = [
  {
    id: "A01",
    title:
      "it listens on this machine only, with NODE_ENV, HOST and PORT set otherwise",
    async run({ daemon, port }) {
      const listeners = listenersOf(daemon.pid);
      const hex = port.toString(16).toUpperCase().padStart(4, "0");
      expect(listeners.length).toBeGreaterThan(0);
      for (const address of listeners)
        expect(LOOPBACK.map((own) => `${own}:${hex}`)).toContain(address);
      for (const address of outsideAddresses())
        expect(await connectError(address, port), address).toBe("ECONNREFUSED");
    },
  },
  {
    id: "A02",
    title: "a foreign host name reads nothing, whatever cookie comes with it",
    everyChange: true,
    *trials(world) {
      for (const route of world.routes)
        yield {
          name: nameOf(route),
          send: {
            method: route.method,
            target: world.addressOf(route),
            headers: [
              ["host", `evil.example:${world.port}`],
              ["cookie", world.cookie],
            ],
          },
          expect: refused(403, "HOST_REFUSED"),
        };
      for (const target of ["/", "/pair", "/docs", "/favicon.svg", "/nowhere"])
        yield {
          name: target,
          send: { target, headers: [["host", `evil.example:${world.port}`]] },
          expect: refused(403, "HOST_REFUSED"),
        };
    },
  },
  {
    id: "A04",
    title: "its own names with its port, and no other",
    *trials(world): Iterable<Trial> {
      for (const name of OWN_NAMES(world.port))
        yield {
          name,
          send: listAgents(world, ["host", name]),
          expect: accepted(),
        };
      for (const name of FOREIGN_NAMES(world.port))
        yield {
          name,
          send: listAgents(world, ["host", name]),
          expect: refused(HOST_OR_SHAPE),
        };
    },
  },
  {
    id: "A05",
    title: "two Host headers, in any order, are a bad request that ends",
    *trials(world) {
      const evil: Header = ["host", `evil.example:${world.port}`];
      const own: Header = ["host", world.host];
      for (const hosts of [
        [own, evil],
        [evil, own],
        [own, own],
        [own, ["HOST", world.host]],
      ] as Header[][])
        yield {
          name: hosts.map(([, value]) => value).join(" and "),
          send: listAgents(world, ...hosts),
          expect: refused(400, "HOST_MISSING", ({ header }) =>
            expect(header("connection")).toBe("close"),
          ),
        };
    },
  },
  {
    id: "A06",
    title: "no Host header, in HTTP/1.1 and HTTP/1.0",
    *trials(world) {
      for (const version of ["1.1", "1.0"])
        yield {
          name: version,
          send: { ...listAgents(world), version },
          expect: refused(400),
        };
    },
  },
  {
    id: "A08",
    title: "no Host that a URL parser reads in its own way opens any route",
    *trials(world) {
      for (const route of world.routes)
        for (const tail of ["/abc?", "#", "/..", "\\x"])
          yield {
            name: `${nameOf(route)} under ${tail}`,
            send: {
              method: route.method,
              target: world.addressOf(route),
              headers: [["host", `${world.host}${tail}`]],
            },
            expect: refused(HOST_OR_SHAPE),
          };
    },
  },
  {
    id: "A08b",
    title: "an absolute target does not stand for the Host header",
    *trials(world) {
      for (const target of [
        `http://${world.host}/api/agents`,
        `http://evil.example/api/agents`,
        `//${world.host}/api/agents`,
        "*",
        "api/agents",
        "?/api/agents",
      ])
        yield {
          name: target,
          send: { target, headers: paired(world) },
          expect: refused([400, 403, 404]),
        };
    },
  },
  {
    id: "A09",
    title: "what headers say of proxies changes nothing",
    *trials(world) {
      for (const header of PROXY_HEADERS)
        yield {
          name: header[0],
          send: { target: "/api/auth/session", headers: paired(world, header) },
          expect: accepted(({ body }) => {
            expect(body).not.toMatch(/evil|1\.2\.3\.4/);
            expect(JSON.parse(body)).toMatchObject({
              session: { address: "127.0.0.1" },
            });
          }),
        };
      yield {
        name: "a page asked for through a proxy",
        send: {
          target: "/",
          headers: [["host", world.host], ...PROXY_HEADERS],
        },
        expect: accepted(({ body }) => expect(body).not.toContain("evil")),
      };
    },
  },
  {
    id: "A10",
    title: "a name for webhooks serves webhooks and nothing else",
    *trials(world) {
      const host: Header = ["host", HOOK_HOST];
      for (const route of world.routes)
        yield {
          name: nameOf(route),
          send: {
            method: route.method,
            target: world.addressOf(route),
            headers: [host, ["cookie", world.cookie]],
          },
          expect: isHook(route.path)
            ? refusedByHook()
            : refused(403, "HOST_REFUSED"),
        };
      for (const target of ["/", "/pair", "/docs", "/_nuxt/x.js"])
        yield {
          name: target,
          send: { target, headers: [host, ["cookie", world.cookie]] },
          expect: refused(403, "HOST_REFUSED"),
        };
    },
  },
];

function outsideAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((entry) =>
      entry && !entry.internal && !entry.address.startsWith("fe80")
        ? [entry.address]
        : [],
    );
}

/** The error code that connecting ends with; `undefined` if a process listens there. */
function connectError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
}
