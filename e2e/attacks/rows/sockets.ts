import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import {
  handshake,
  OPCODE,
  openRawSocket,
  renderFrame,
} from "../world/raw-socket.ts";
import type { RawSocket, SocketEnd } from "../world/raw-socket.ts";
import type { World } from "../world/world.ts";
import type { Header } from "./requests.ts";
import { FOREIGN_ORIGINS } from "./cross-origin.ts";

const ECHO = "/api/target/echo";
const LARGEST = 64 * 1024;
/** A second, on a machine that is busy with other tests. */
export const LATEST_MS = 5_000;

const upgrade = (target: string, ...headers: Header[]) => ({
  target,
  headers: [...handshake(), ...headers],
});

/** Opens the socket of the target as our own page does. */
export function openEcho(world: World): Promise<RawSocket> {
  return openRawSocket(world.port, ECHO, [
    ["host", world.host],
    ["cookie", world.cookie],
    ["origin", world.origin],
  ]);
}

/** It ends soon, with one of these codes, and a socket beside it is as before. */
async function expectEnd(
  world: World,
  attackWith: (socket: RawSocket) => void,
  codes: readonly (number | undefined)[],
): Promise<SocketEnd> {
  const bystander = await openEcho(world);
  const socket = await openEcho(world);
  attackWith(socket);
  const end = await withinSoon(socket.ended);
  expect(codes).toContain(end.code);
  bystander.send(renderFrame(OPCODE.text, "still here"));
  expect(await bystander.next()).toBe("still here");
  return end;
}

/** What is there within a second, or a fault. */
export function withinSoon<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error("It did not end."));
    const timer = setTimeout(late, LATEST_MS);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const KNOWN_AND_UNKNOWN = [ECHO, "/api/target/none", "/api/agents", "/", "/x"];

export const sockets: readonly Row[] = [
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
    id: "A29",
    title: "messages that are too large, however they are cut up",
    async run(world) {
      const tooLarge = "x".repeat(LARGEST + 1);
      await expectEnd(
        world,
        (socket) => socket.send(renderFrame(OPCODE.text, tooLarge)),
        [1009],
      );
      const pieces = Array.from({ length: 10_000 }, (_, index) =>
        renderFrame(index === 0 ? OPCODE.text : OPCODE.more, "xxxxxxxx", {
          final: false,
        }),
      );
      await expectEnd(
        world,
        (socket) => socket.send(Buffer.concat(pieces)),
        [1002, 1008, 1009],
      );
      await expectEnd(
        world,
        (socket) =>
          socket.send(
            renderFrame(OPCODE.bytes, "", { length: 2 ** 40, final: false }),
          ),
        [1009],
      );
    },
  },
  {
    id: "A29b",
    title: "a message of exactly the largest size is taken",
    async run(world) {
      const socket = await openEcho(world);
      socket.send(renderFrame(OPCODE.text, "x".repeat(LARGEST)));
      expect((await socket.next()).length).toBe(LARGEST);
    },
  },
  {
    id: "A30",
    title: "ten thousand messages at once",
    async run(world) {
      const flood = Buffer.concat(
        Array.from({ length: 10_000 }, () => renderFrame(OPCODE.text, "x")),
      );
      const { messages } = await expectEnd(
        world,
        (socket) => socket.send(flood),
        [1008],
      );
      expect(messages.length).toBeLessThan(1_000);
    },
  },
  {
    id: "A32",
    title: "frames that are no frames, and messages that are no messages",
    async run(world) {
      const broken: [string, Uint8Array][] = [
        ["random bytes", randomBytes(4096)],
        ["not masked", renderFrame(OPCODE.text, "x", { masked: false })],
        ["a reserved bit", renderFrame(OPCODE.text, "x", { reserved: 1 })],
        ["a reserved code", renderFrame(5, "x")],
        ["a piece of nothing", renderFrame(OPCODE.more, "x")],
        ["a ping in pieces", renderFrame(OPCODE.ping, "x", { final: false })],
        ["a long ping", renderFrame(OPCODE.ping, "x".repeat(126))],
        ["text that is none", renderFrame(OPCODE.text, Buffer.from([0xc3]))],
        ["a short close", renderFrame(OPCODE.close, "x")],
        ["a wrong close", renderFrame(OPCODE.close, Buffer.from([0, 1]))],
        ["HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
      ];
      for (const [name, bytes] of broken) {
        const { code } = await expectEnd(
          world,
          (socket) => socket.send(bytes),
          [undefined, 1000, 1002, 1003, 1007, 1008, 1009],
        );
        expect(code, name).not.toBe(1000);
      }
    },
  },
  {
    id: "A32b",
    title: "a hook that throws costs its own socket alone, and says nothing",
    faults: [/Socket hook failed/],
    async run(world) {
      const { messages } = await expectEnd(
        world,
        (socket) => socket.send(renderFrame(OPCODE.text, "throw")),
        [1011],
      );
      expect(messages).toEqual([]);
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
    id: "A36",
    title: "compression is not negotiated, and a compressed frame ends it",
    async run(world) {
      const socket = await openRawSocket(world.port, ECHO, [
        ["host", world.host],
        ["cookie", world.cookie],
        ["origin", world.origin],
        [
          "sec-websocket-extensions",
          "permessage-deflate; client_max_window_bits",
        ],
      ]);
      expect(socket.connection.rest()).not.toMatch(/extensions/i);
      await expectEnd(
        world,
        (one) =>
          one.send(renderFrame(OPCODE.text, randomBytes(512), { reserved: 4 })),
        [1002],
      );
    },
  },
];
