import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Row } from "../runner/row.ts";
import { ECHO, openEcho, withinSoon } from "../world/echo.ts";
import { OPCODE, openRawSocket, renderFrame } from "../world/raw-socket.ts";
import type { RawSocket, SocketEnd } from "../world/raw-socket.ts";
import type { World } from "../world/world.ts";

const MAX_MESSAGE_BYTES = 64 * 1024;

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

export const sockets: readonly Row[] = [
  {
    id: "A29",
    title: "messages that are too large, however they are cut up",
    async run(world) {
      const tooLarge = "x".repeat(MAX_MESSAGE_BYTES + 1);
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
      socket.send(renderFrame(OPCODE.text, "x".repeat(MAX_MESSAGE_BYTES)));
      expect((await socket.next()).length).toBe(MAX_MESSAGE_BYTES);
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
    everyChange: true,
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
