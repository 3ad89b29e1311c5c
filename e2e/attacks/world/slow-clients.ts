import { patience } from "@gantry/build/testing";
import { connect } from "node:net";
import { renderRequest } from "../../../kernel/core/test/support/raw-http.ts";
import type { World } from "./world.ts";

/** How one slow client fared. */
export interface SlowEnd {
  status: number;
  /** From its first byte to when it was cut off. */
  seconds: number;
}

/** What the slow clients do. */
export type Slowness =
  "header" | "nothing" | "body of a webhook" | "body of pairing" | "keep-alive";

/** Clients that send a byte now and then, or nothing more. They are there from the beginning, since they take long. */
export interface SlowClients extends Disposable {
  /** Resolves when all of a kind have been cut off. */
  endsOf(slowness: Slowness): Promise<SlowEnd[]>;
}

/** Maximum delay between the timeout of a client and its end: the daemon checks once a second, and the machine may be slow. */
export const MAX_DELAY_S: number = 2 + patience;

const OF_EACH = 10;
const BYTE_EVERY_MS = 500;

/** Connects them all. */
export function startSlowClients(world: World): SlowClients {
  const { port, host, victims } = world;
  const hook = victims.takeHook();
  const json = ["content-type", "application/json"] as const;
  const body = ["content-length", "1000"] as const;
  const own = ["host", host] as const;
  const beginnings: Record<Slowness, { head: string; drips: boolean }> = {
    header: {
      head: `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
      drips: true,
    },
    nothing: { head: "", drips: false },
    "body of a webhook": {
      head: renderRequest({
        method: "POST",
        target: hook.target,
        headers: [own, body, ["authorization", `Bearer ${hook.secret}`]],
      }),
      drips: true,
    },
    "body of pairing": {
      head: renderRequest({
        method: "POST",
        target: "/pair",
        headers: [own, body, json],
      }),
      drips: true,
    },
    "keep-alive": {
      head: renderRequest({ target: "/pair", headers: [own] }),
      drips: false,
    },
  };
  const undo: (() => void)[] = [];

  function start(head: string, drips: boolean): Promise<SlowEnd> {
    const begun = performance.now();
    const socket = connect(port, "127.0.0.1");
    undo.push(() => socket.destroy());
    let received = "";
    socket
      .on("error", () => {})
      .on("data", (data) => {
        received += data.toString("latin1");
      });
    socket.write(head);
    const timer = setInterval(() => {
      if (drips && socket.writable) socket.write("x");
    }, BYTE_EVERY_MS);
    return new Promise((resolve) =>
      socket.once("close", () => {
        clearInterval(timer);
        resolve({
          status: Number(received.split(" ")[1]),
          seconds: (performance.now() - begun) / 1000,
        });
      }),
    );
  }

  const ends = new Map(
    Object.entries(beginnings).map(([slowness, { head, drips }]) => [
      slowness,
      Promise.all(Array.from({ length: OF_EACH }, () => start(head, drips))),
    ]),
  );
  return {
    endsOf: (slowness) => ends.get(slowness)!,
    [Symbol.dispose]: () => undo.forEach((end) => end()),
  };
}
