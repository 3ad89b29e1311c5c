import type { Row } from "../runner/row.ts";

const ATTACKS = "plugins/browser/test/tools/socket-attacks.test.ts";

/** The socket through which programs of agents' CLIs reach the tools of the browser. */
export const browserTools: readonly Row[] = [
  {
    id: "A146",
    title: "wrong keys, keys of other sessions and of sessions that have ended",
    provedBy: [
      [
        ATTACKS,
        "a key that is not exactly one of an open session opens nothing, and is told nothing",
      ],
      [
        ATTACKS,
        "a key opens the tools of its own agent, and ends with its own session",
      ],
      [
        "plugins/browser/test/tools/tools-socket.test.ts",
        "the key of a session opens its tools and no operation of the daemon",
      ],
    ],
  },
  {
    id: "A147",
    title: "another user of the machine at the socket of the tools",
    provedBy: [[ATTACKS, "another user has no access to the socket %s"]],
  },
  {
    id: "A148",
    title: "many connections, half keys, floods of calls",
    provedBy: [
      [
        ATTACKS,
        "a key that comes in pieces is accepted, and clients that send half of one keep no others out",
      ],
      [
        ATTACKS,
        "a session has a few connections, and hundreds with wrong keys leave its own alone",
      ],
      [
        "plugins/browser/test/tools/calls.test.ts",
        "an agent that makes thousands of calls at once is slowed down, and another one is not",
      ],
      [
        "plugins/browser/test/tools/calls.test.ts",
        "a client that does not read its answers is not read either",
      ],
    ],
  },
  {
    id: "A149",
    title: "messages to the tools that are huge, cut off or none",
    provedBy: [
      [
        ATTACKS,
        "messages that are too large, cut off or none end their own connection at most",
      ],
      [
        "plugins/browser/test/tools/calls.test.ts",
        "input that does not fit is refused with a message",
      ],
    ],
  },
];
