import { expect } from "vitest";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { Route } from "../world/routes.ts";
import type { World } from "../world/world.ts";
import {
  guardsItself,
  isRead,
  jsonBody,
  nameOf,
  paired,
  refusedByItself,
  stranger,
  takingJson,
} from "./requests.ts";
import type { Header } from "./requests.ts";

const ORIGIN_OR_SITE = ["ORIGIN_REFUSED", "SITE_REFUSED"];

/** Foreign origins, and variants of our own that an attacker might use. */
export const FOREIGN_ORIGINS = ({ host, port }: World) => [
  "http://evil.example",
  "http://gantry.localhost:1",
  `http://x.gantry.localhost:${port}`,
  `http://${host}.evil.com`,
  `http://${host}@evil.com`,
  `http://${host}%2eevil.com`,
  `https://${host}`,
  `ws://${host}`,
  "http://gantry.localhost",
  `http://${host}/`,
  `http://gantry.localhost.:${port}`,
  `HTTP://GANTRY.LOCALHOST:${port}`,
  // Ours, but not of the name under which it is asked.
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
  `http://[::1]:${port}`,
  "null",
  "",
  "file://",
  "chrome-extension://abcdefghijklmnop",
  `http://${host} http://evil.example`,
  `http://${host}, http://evil.example`,
  `http://${host}\t`.trim() + "\u00a0",
];

/** A request to an operation as a paired browser would send it, with a body where there may be one. */
function change(world: World, route: Route, ...more: Header[]) {
  const hasBody = route.takes === "json" && !isRead(route);
  return {
    method: route.method,
    target: world.addressOf(route),
    headers: paired(world, ...(hasBody ? jsonBody("{}") : []), ...more),
    body: hasBody ? "{}" : "",
  };
}

/** What a page of another site may send without asking first, and neighbours of JSON. */
const OTHER_MEDIA_TYPES: Header[][] = [
  [["content-type", "text/plain"]],
  [["content-type", "application/x-www-form-urlencoded"]],
  [["content-type", "multipart/form-data; boundary=x"]],
  [["content-type", "application/json; charset=utf-16"]],
  [["content-type", "application/json; charset=utf-8; x=y"]],
  [["content-type", "application/json, text/plain"]],
  [["content-type", "application/jsonp"]],
  [["content-type", "text/json"]],
  [["content-type", "application/ld+json"]],
  [["content-type", ""]],
  [],
  [
    ["content-type", "application/json"],
    ["content-type", "text/plain"],
  ],
  [
    ["content-type", "application/json"],
    ["content-encoding", "gzip"],
  ],
  [
    ["content-type", "application/json"],
    ["content-encoding", "identity, br"],
  ],
];

export const crossOrigin: readonly Row[] = [
  {
    id: "A13",
    title: "a change from a sandboxed frame or a foreign page, at every route",
    everyChange: true,
    *trials(world): Iterable<Trial> {
      for (const route of world.routes)
        for (const origin of ["null", "http://evil.example"]) {
          if (isRead(route) && route.answers !== "stream") continue;
          yield {
            name: `${nameOf(route)} from ${origin}`,
            send: change(world, route, ["origin", origin]),
            expect:
              route.access === "self"
                ? refusedByItself(route.path)
                : refused(403, "ORIGIN_REFUSED"),
          };
        }
    },
  },
  {
    id: "A14",
    title: "what a browser says of another site, at every route and method",
    *trials(world): Iterable<Trial> {
      const modes = ["navigate", "no-cors", "cors", "websocket"];
      for (const [index, route] of world.routes.entries())
        for (const site of ["cross-site", "same-site", "Same-Origin", ""])
          for (const method of new Set([route.method, "GET", "HEAD"]))
            yield {
              name: `${method} ${route.path}, ${site}`,
              send: change(
                world,
                { ...route, method },
                ["sec-fetch-site", site],
                ["sec-fetch-mode", modes[index % modes.length]!],
              ),
              expect:
                // A page holds no data, so that any site may load it.
                route.path === "/pair" && method !== "POST"
                  ? accepted()
                  : refused(403, ORIGIN_OR_SITE),
            };
    },
  },
  {
    id: "A14b",
    title: "a change with the marks of a browser and no Origin",
    *trials(world) {
      for (const route of world.routes.filter((route) => !isRead(route)))
        for (const site of ["same-origin", "none"])
          yield {
            name: `${nameOf(route)}, ${site}`,
            send: change(world, route, ["sec-fetch-site", site]),
            expect:
              route.access === "self"
                ? refusedByItself(route.path)
                : refused(403, "ORIGIN_REFUSED"),
          };
    },
  },
  {
    id: "A16",
    title: "a body of any other media type, at every route that takes JSON",
    *trials(world) {
      for (const route of takingJson(world))
        for (const headers of OTHER_MEDIA_TYPES)
          yield {
            name: `${nameOf(route)} as ${JSON.stringify(headers)}`,
            send: {
              method: route.method,
              target: world.addressOf(route),
              headers: paired(world, ["content-length", "2"], ...headers),
              body: "{}",
            },
            expect: refused(415, "BODY_MEDIA_TYPE"),
          };
    },
  },
  {
    id: "A17",
    title: "a preflight at every route",
    *trials(world) {
      for (const { path } of world.routes) {
        const preflight = (headers: Header[]) => ({
          method: "OPTIONS",
          target: world.addressOf({ path }),
          headers,
        });
        const asks: Header[] = [
          ["access-control-request-method", "POST"],
          ["access-control-request-headers", "content-type"],
          ["access-control-request-private-network", "true"],
        ];
        const isGuarded = guardsItself(path, world.routes);
        yield {
          name: `${path} from another page`,
          send: preflight(
            stranger(world, ["origin", "http://evil.example"], ...asks),
          ),
          expect: isGuarded
            ? refusedByItself(path)
            : refused(403, "ORIGIN_REFUSED"),
        };
        yield {
          name: `${path} without an origin`,
          send: preflight(paired(world, ...asks)),
          expect: isGuarded
            ? refusedByItself(path)
            : refused(405, "METHOD_NOT_ALLOWED"),
        };
      }
    },
  },
  {
    id: "A18",
    title: "origins that look like ours",
    *trials(world) {
      const target = `/api/agents/${world.victims.agentId}/close`;
      const post = (...origins: Header[]) => ({
        method: "POST",
        target,
        headers: paired(world, ...jsonBody("{}"), ...origins),
        body: "{}",
      });
      for (const origin of FOREIGN_ORIGINS(world))
        yield {
          name: JSON.stringify(origin),
          send: post(["origin", origin]),
          expect: refused([400, 403]),
        };
      yield {
        name: "two of them, ours first",
        send: post(["origin", world.origin], ["origin", "http://evil.example"]),
        expect: refused([400, 403]),
      };
      const many = Array.from({ length: 2100 }, (): Header => ["a", ""]);
      yield {
        name: "as header number 2,101",
        send: post(...many, ["origin", "http://evil.example"]),
        expect: refused([400, 403, 431]),
      };
    },
  },
  {
    id: "A20",
    title: "reading twice, at every route: nothing changes by it",
    warmUp: readEverything,
    run: readEverything,
  },
];

async function readEverything(world: World): Promise<void> {
  const reads = world.routes.filter(
    ({ method, path }) => method === "GET" && !path.startsWith("/api/target/"),
  );
  const pages = ["/", "/pair", "/agents", "/docs", "/favicon.svg", "/none"];
  const targets = [...reads.map((route) => world.addressOf(route)), ...pages];
  for (const target of targets)
    for (const method of ["GET", "HEAD"]) {
      const status = await statusOf(world, method, target);
      expect(status, `${method} ${target}`).toBeGreaterThanOrEqual(200);
      expect(status, `${method} ${target}`).toBeLessThan(500);
    }
}

/** The status of an answer, of which nothing else is waited for: a stream has no end. */
async function statusOf(
  world: World,
  method: string,
  target: string,
): Promise<number> {
  const { socket, write } = await openRaw(world.port);
  const head = new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(data.toString("latin1"))),
  );
  write(renderRequest({ method, target, headers: paired(world) }));
  const [, status] = (await head).split(" ");
  socket.destroy();
  return Number(status);
}
