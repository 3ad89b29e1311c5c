import type { Row } from "../runner/row.ts";

const SOCKET = "plugins/terminals/test/socket.test.ts";
const ATTACH = "plugins/terminals/test/attach.test.ts";

/** Terminals, whose sockets only a test with programs in them can try. */
export const terminals: readonly Row[] = [
  {
    id: "A33b",
    title: "terminals that are not there, and those who may not see them",
    provedBy: [
      [
        SOCKET,
        "only who may come in sees a terminal, and only one that is there",
      ],
    ],
  },
  {
    id: "A32b",
    title: "messages of a terminal that are none",
    provedBy: [
      [
        SOCKET,
        "an invalid message is answered with an error, and the terminal continues",
      ],
      [
        SOCKET,
        "a message that is too long, or too many of them, end that socket alone",
      ],
    ],
  },
  {
    id: "A34",
    title: "sizes of terminals",
    provedBy: [[SOCKET, "no size but a sensible one is taken"]],
  },
  {
    id: "A120d",
    title: "output of terminals that asks, sets and never ends",
    provedBy: [
      [
        ATTACH,
        "what a program asks of its terminal is answered once, for any number of viewers",
      ],
      [ATTACH, "a title is one short line"],
      [
        ATTACH,
        "an endless sequence costs no memory, and later viewers see what follows it",
      ],
      [
        "plugins/terminals/test/input.test.ts",
        "a prompt is one paste, whatever is in it, and then Enter",
      ],
      [
        "plugins/terminals/test/input.test.ts",
        "no command reaches a running program, or what is half typed",
      ],
    ],
  },
];
