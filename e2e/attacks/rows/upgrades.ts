import { expect } from "vitest";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { ECHO } from "../world/echo.ts";
import { handshake } from "../world/raw-socket.ts";
import type { Header } from "./requests.ts";
import { FOREIGN_ORIGINS } from "./cross-origin.ts";

const upgrade = (target: string, ...headers: Header[]) => ({
  target,
  headers: [...handshake(), ...headers],
});

const KNOWN_AND_UNKNOWN = [ECHO, "/api/target/none", "/api/agents", "/", "/x"];

export const upgrades: readonly Row[] = [
  {
    id: "A24",
    title: "an upgrade without a session, at sockets, routes and nothing",
    *trials(world): Iterable<Trial> {
      const host: Header = ["host", world.host];
      const origin: Header = ["origin", world.origin];
      const paths = [
        ...KNOWN_AND_UNKNOWN,
        ...world.routes.map((route) => world.addressOf(route)),
      ];
      for (const target of new Set(paths))
        for (const cookie of [
          "",
          "gantry_session=",
          `gantry_session=${"x".repeat(43)}`,
        ])
          yield {
            name: `${target} with "${cookie}"`,
            send: upgrade(
              target,
              host,
              origin,
              ...(cookie ? [["cookie", cookie] as const] : []),
            ),
            expect: refused(401, "AUTH_NOT_PAIRED"),
          };
    },
  },
  {
    id: "A25",
    title: "a session with the Origin of another page",
    everyChange: true,
    *trials(world) {
      for (const origin of FOREIGN_ORIGINS(world))
        yield {
          name: JSON.stringify(origin),
          send: upgrade(
            ECHO,
            ["host", world.host],
            ["cookie", world.cookie],
            ["origin", origin],
          ),
          expect: refused([400, 403]),
        };
    },
  },
  {
    id: "A26",
    title: "a session without an Origin, or from another site",
    *trials(world) {
      const own: Header[] = [
        ["host", world.host],
        ["cookie", world.cookie],
      ];
      yield {
        name: "no Origin",
        send: upgrade(ECHO, ...own),
        expect: refused(403, "ORIGIN_REFUSED"),
      };
      for (const site of ["cross-site", "same-site"])
        yield {
          name: site,
          send: upgrade(
            ECHO,
            ...own,
            ["origin", world.origin],
            ["sec-fetch-site", site],
          ),
          expect: refused(403, "SITE_REFUSED"),
        };
      yield {
        name: "a foreign name",
        send: upgrade(
          ECHO,
          ["host", `evil.example:${world.port}`],
          ["cookie", world.cookie],
          ["origin", `http://evil.example:${world.port}`],
        ),
        expect: refused(403, "HOST_REFUSED"),
      };
    },
  },
  {
    id: "A28",
    title: "a credential in the address or the subprotocol",
    *trials(world) {
      const value = world.cookie.split("=")[1] ?? "";
      const own: Header[] = [
        ["host", world.host],
        ["origin", world.origin],
      ];
      for (const secret of [value, world.token])
        for (const name of ["token", "access_token", "gantry_session", "code"])
          yield {
            name: `?${name}=`,
            send: upgrade(`${ECHO}?${name}=${secret}`, ...own),
            expect: refused(401, "AUTH_NOT_PAIRED"),
          };
      for (const protocol of [value, `bearer, ${world.token}`, world.cookie])
        yield {
          name: "Sec-WebSocket-Protocol",
          send: upgrade(ECHO, ...own, ["sec-websocket-protocol", protocol]),
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
    },
    async run({ daemon, secrets }) {
      for (const [what, secret] of secrets)
        expect(daemon.log().includes(secret), `${what} in the log`).toBe(false);
    },
  },
  {
    id: "A33",
    title: "an upgrade to what is no socket, or to an odd address",
    *trials(world) {
      const targets = [
        ...world.routes.map((route) => world.addressOf(route)),
        "/api/target/echo/../echo",
        "/api/target/%65cho",
        "/api//target/echo",
        "/API/target/echo",
        "/api/target/echo%00",
        `/api/target/${"x".repeat(5_000)}`,
        "/",
        "/pair",
      ];
      for (const target of new Set(targets))
        yield {
          name: target.slice(0, 80),
          send: upgrade(
            target,
            ["host", world.host],
            ["cookie", world.cookie],
            ["origin", world.origin],
          ),
          expect: refused([400, 404]),
        };
    },
  },
  {
    id: "A33b",
    title: "a handshake that is none, from a page of ours",
    *trials(world) {
      const own: Header[] = [
        ["host", world.host],
        ["cookie", world.cookie],
        ["origin", world.origin],
      ];
      const good = handshake();
      const without = (name: string) =>
        good.filter(([header]) => header !== name);
      const key = (value: string): Header => ["sec-websocket-key", value];
      const broken: [string, readonly Header[]][] = [
        ["no key", without("sec-websocket-key")],
        ["no version", without("sec-websocket-version")],
        [
          "another version",
          [...without("sec-websocket-version"), ["sec-websocket-version", "8"]],
        ],
        ["a short key", [...without("sec-websocket-key"), key("x")]],
        ["two keys", [...good, key("x".repeat(22) + "==")]],
        ["another protocol", [...without("upgrade"), ["upgrade", "h2c"]]],
      ];
      for (const [name, headers] of broken)
        yield {
          name,
          send: { target: ECHO, headers: [...headers, ...own] },
          expect: refused([400, 404]),
        };
      yield {
        name: "a POST",
        send: { method: "POST", target: ECHO, headers: [...good, ...own] },
        expect: refused([400, 404, 405]),
      };
    },
  },
];
