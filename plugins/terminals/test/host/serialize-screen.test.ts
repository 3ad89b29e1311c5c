import { Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";
import * as fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { followModes } from "../../src/host/screen-modes.ts";
import { serializeScreen } from "../../src/host/serialize-screen.ts";

const SIZE = { cols: 12, rows: 5 };

function createScreen() {
  const terminal = new Terminal({
    ...SIZE,
    scrollback: 50,
    allowProposedApi: true,
  });
  const modes = followModes(terminal);
  let title: string | null = null;
  terminal.onTitleChange((next) => (title = next));
  return {
    terminal,
    write: (text: string) =>
      new Promise<void>((resolve) => terminal.write(text, resolve)),
    serialize: () => serializeScreen(terminal, modes, title),
    look: () => ({ ...look(terminal), title }),
  };
}

interface RawCell {
  fg: number;
  bg: number;
  extended: {
    urlId: number;
    underlineColor: number;
    clone(): RawCell["extended"];
    underlineStyle: number;
  };
}

interface Core {
  _core: {
    _oscLinkService: {
      getLinkData(id: number): { id?: string; uri: string } | undefined;
    };
    _inputHandler: { _curAttrData: RawCell };
    buffer: { scrollTop: number; scrollBottom: number };
  };
}

/** A colour of the palette keeps bits of a colour of 24 bits before it, which mean nothing. */
const toColor = (value: number) =>
  (value & 0x3000000) === 0x3000000 ? value : value & ~0xffff00;

/** All that is visible of a screen, and the state that later output depends on. */
function look(terminal: Terminal) {
  const core = (terminal as unknown as Core)._core;
  const toLook = ({ fg, bg, extended }: RawCell, isPen = false) => {
    const isExtended = (bg & 0x10000000) !== 0;
    const own = extended.clone();
    own.urlId = 0;
    const isUnderlined = (fg & 0x10000000) !== 0;
    return [
      (toColor(fg) >>> 0).toString(16),
      (toColor(bg) & ~0x10000000).toString(16),
      isUnderlined && isExtended ? own.underlineStyle || 1 : 0,
      isPen || (isUnderlined && isExtended)
        ? toColor(extended.underlineColor)
        : 0,
      isExtended && extended.urlId
        ? JSON.stringify(core._oscLinkService.getLinkData(extended.urlId))
        : "",
    ].join(" ");
  };
  const rowsOf = (buffer: typeof terminal.buffer.normal) =>
    Array.from({ length: buffer.length }, (_, y) => {
      const line = buffer.getLine(y)!;
      const cells = Array.from({ length: terminal.cols }, (_, x) => {
        const cell = line.getCell(x)!;
        if (cell.getWidth() === 0) return "half";
        const style = toLook(cell as unknown as RawCell);
        return `${cell.getChars() || " "} ${cell.getWidth()} ${style}`;
      });
      return { isWrapped: y > 0 && line.isWrapped, cells };
    });
  const { active, normal, alternate } = terminal.buffer;
  return {
    type: active.type,
    normal: rowsOf(normal),
    alternate: active.type === "alternate" ? rowsOf(alternate) : [],
    cursor: [active.cursorX, active.cursorY],
    modes: { ...terminal.modes },
    pen: toLook(core._inputHandler._curAttrData, true),
    margins: [core.buffer.scrollTop, core.buffer.scrollBottom],
  };
}

/** Expects a serialized and redrawn screen to be the same, also after the output `more`. */
async function expectSame(text: string, more = ""): Promise<void> {
  const [first, second] = [createScreen(), createScreen()];
  await first.write(text);
  await second.write(first.serialize());
  expect(second.look()).toEqual(first.look());
  await first.write(more);
  await second.write(more);
  expect(second.look()).toEqual(first.look());
  first.terminal.dispose();
  second.terminal.dispose();
}

const link = (uri: string, id = "") => `\x1b]8;${id};${uri}\x1b\\`;
const STYLES = [
  ...[1, 2, 3, 4, 5, 7, 8, 9, 53, 21, 31, 97, 42, 107],
  ...["4:1", "4:2", "4:3", "4:4", "4:5"],
  ...["38;5;9", "38;5;200", "38;2;1;2;3", "48;5;3", "48;5;77", "48;2;9;8;7"],
  ...["4;58;5;1", "4:3;58;5;196", "4:4;58:2::255:255:255", "4;58;2;0;0;0;59"],
  ...["1;2;3;4:3;5;7;8;9;53;31;42;58;5;7"],
].map((codes) => `\x1b[${codes}m`);

test.each(STYLES)("what is written in the style %j looks the same", (style) =>
  expectSame(`a${style}bc\x1b[3Cd\x1b[K\x1b[0me`, "f"),
);

test.each([
  [
    "links side by side",
    `${link("https://a.example")}a${link("https://b.example")}b${link("")}c`,
  ],
  [
    "a link with a name in two places",
    `${link("https://a.example", "id=x")}a${link("")}-${link("https://a.example", "id=x")}b${link("")}`,
  ],
  [
    "a link that continues in the next row",
    `${link("https://a.example")}${"a".repeat(20)}\r\nb`,
  ],
  ["a link that looks hostile", `${link("javascript:alert(1)")}a${link("")}`],
  [
    "a link of 2,000 characters",
    `${link(`https://a.example/${"b".repeat(2000)}`)}a`,
  ],
  [
    "a link in a curly underline",
    `\x1b[4:3m${link("https://a.example")}a${link("")}b`,
  ],
  ["a wide character that does not fit", `${"a".repeat(11)}界b`],
  ["a row that ends where it is full", "a".repeat(12)],
  ["a wide character in the last columns", `${"a".repeat(10)}界`],
  ["combining characters", "e\u0301a\u0308\u0323 \u{1f44d}\u{1f3fd}"],
  [
    "a wrapped row that was emptied",
    `${"a".repeat(15)}\x1b[A\x1b[5G\x1b[41m\x1b[4X\x1b[B\r\x1b[42m\x1b[3X`,
  ],
  ["coloured rows that scrolled in", `\x1b[44m${"a\r\n".repeat(8)}b`],
  [
    "the alternate screen",
    "\x1b[3;4H\x1b[31mabc\x1b[42m\x1b[?1049hxyz\x1b[2;2H",
  ],
  ["a saved cursor", "ab\x1b[1;35m\x1b7\x1b[4;4H\x1b[0mcd"],
  ["scroll margins and the origin", "\x1b[2;4r\x1b[?6h\x1b[2;3Hab"],
  [
    "modes",
    "\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[4h\x1b[?45h\x1b[?7l\x1b[?25l",
  ],
  ["a title", "\x1b]2;vim 界\x07a"],
])("%s are kept", (_name, text) =>
  expectSame(text, "\x1b[?1049l\x1b8Z\r\nnext"),
);

test("a link that would end early is left out", async () => {
  const { write, serialize, terminal } = createScreen();
  await write(`${link("https://a.example/\x7f")}a`);
  expect(serialize()).not.toContain("https:");
  terminal.dispose();
});

test("of too many links the newest are kept", async () => {
  const { write, serialize, terminal } = createScreen();
  const long = "x".repeat(100_000);
  for (let row = 0; row < 50; row++)
    await write(`${link(`https://a.example/${row}/${long}`)}a${link("")}\r\n`);
  const text = serialize();
  expect(text.length).toBeLessThan(4.3 * 1024 * 1024);
  expect(text).toContain("https://a.example/49/");
  expect(text).not.toContain("https://a.example/0/");
  terminal.dispose();
});

const number = (most: number) => fc.integer({ min: 1, max: most });
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "a",
      "bc",
      "界",
      "e\u0301",
      "\u{1f600}",
      " ",
      "x".repeat(9),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...STYLES,
      "\x1b[m",
      "\x1b[22;24m",
      "\x1b[39;49m",
      "\x1b[59m",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "\r\n",
      "\n",
      "\r",
      "\b",
      "\x1b[K",
      "\x1b[1K",
      "\x1b[2K",
      "\x1b[J",
      "\x1b[1J",
      "\x1b[L",
      "\x1b[M",
      "\x1bM",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      link("https://a.example"),
      link("mailto:b@c.example", "id=m"),
      link(""),
    ),
  },
  fc.tuple(number(5), number(12)).map(([y, x]) => `\x1b[${y};${x}H`),
  fc
    .tuple(
      number(6),
      fc.constantFrom("X", "P", "@", "C", "D", "A", "B", "S", "T"),
    )
    .map(([n, final]) => `\x1b[${n}${final}`),
  fc.constantFrom(
    "\x1b7",
    "\x1b8",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[2;4r",
    "\x1b[r",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[?2004h",
    "\x1b[?1003h",
    "\x1b[?1h",
  ),
);

test("any output is redrawn as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) =>
      expectSame(pieces.join("")),
    ),
    { numRuns: runs(300) },
  );
});
