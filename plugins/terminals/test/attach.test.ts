import { expect, test, vi } from "vitest";
import { STALLED_MS } from "../src/host/viewer.ts";
import { startTerminals } from "./support/start-terminals.ts";

/** Writes counted lines, with sequences, colours and characters of several bytes among them, then waits. */
const counted = (lines: number, { atOnce = 200, everyMs = 0 } = {}) =>
  `node -e '
    const total=${lines};let at=0;
    const step=()=>{let text="";
      for(let i=0;i<${atOnce}&&at<total;i++,at++)
        text+="\\u001b[3"+(at%7+1)+"m"+at+"\\u001b[0m é\\u{1f600} \\u001b]0;title "+at+"\\u0007"+"x".repeat(at%90)+"\\r\\n";
      process.stdout.write(text,()=>at<total?setTimeout(step,${everyMs}):(console.log("END"),process.stdin.on("data",()=>{})))};
    process.stdin.once("data",step);console.log("go")'`.replaceAll("\n", " ");

/** Blocks this process, and with it the daemon and all viewers. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test(
  "a viewer that attaches at any moment of a stream sees each line once, and the same screen in the end",
  { tags: "thorough" },
  async () => {
    const { open, look } = await startTerminals();
    // Less than may be on its way to a viewer: none is left behind and given a second screen, however slow this process is.
    const command = counted(2_500, { atOnce: 50, everyMs: 5 });
    const { id } = await open({ kind: "cli", command });
    const first = await look(id);
    await first.sees("go");
    first.type("x\r");
    const others = [];
    for (let round = 0; round < 25; round++) {
      // After a random amount of output, wherever that is in a sequence or in a character.
      const until = first.bytes + Math.floor(Math.random() * 8_000);
      await vi.waitFor(
        () => {
          if (first.bytes < until && !first.text().includes("END"))
            throw new Error("not yet");
        },
        { interval: 0 },
      );
      others.push(await look(id));
    }
    await Promise.all([first, ...others].map((one) => one.sees("END")));
    const expected = await first.screen();
    const numbers = expected.match(/^\d+(?= é)/gm)!.map(Number);
    expect(numbers.at(-1)).toBe(2_499);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index));
    for (const other of others) {
      expect(other.heard.filter(({ type }) => type === "screen")).toHaveLength(
        1,
      );
      expect(await other.screen()).toBe(expected);
    }
  },
);

test(
  "a viewer that stops acknowledging blocks no other, and gets the current screen when it continues",
  { tags: "thorough" },
  async () => {
    const { open, look } = await startTerminals();
    const { id } = await open({
      kind: "cli",
      command: counted(60_000),
    });
    const viewer = await look(id);
    await viewer.sees("go");
    viewer.confirms = false;
    viewer.type("x\r");
    const watcher = await look(id);
    await watcher.sees("END");
    expect(viewer.text()).not.toContain("END");
    // The unacknowledged output stayed within the limit.
    expect(viewer.bytes).toBeLessThan(3 * 1024 * 1024);
    viewer.confirms = true;
    await viewer.sees("END");
    expect(await viewer.screen()).toBe(await watcher.screen());
  },
);

test(
  "the only viewer holds a flood up for a moment, not for ever",
  { tags: "thorough" },
  async () => {
    const { open, look } = await startTerminals();
    const { id } = await open({
      kind: "cli",
      command: "read x; head -c 20000000 /dev/zero | tr '\\0' x; exit 4",
    });
    const viewer = await look(id);
    viewer.confirms = false;
    const start = performance.now();
    viewer.type("\r");
    // The program could not end before all that it wrote was read.
    await viewer.hears({ type: "exit", exitCode: 4 });
    expect(performance.now() - start).toBeGreaterThan(STALLED_MS);
    // What was on its way already came as well, and nothing after it.
    expect(viewer.bytes).toBeGreaterThan(200_000);
    expect(viewer.bytes).toBeLessThan(1_000_000);
  },
);

test("Ctrl-C ends a flood, and little of it comes afterwards", async () => {
  const { openShell, look } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  viewer.type("yes a rather long line of text without any end\r");
  await vi.waitFor(() => expect(viewer.bytes).toBeGreaterThan(1_000_000));
  // While a page draws, it reads nothing, and the flood continues.
  standStill(500);
  const before = viewer.text().length;
  viewer.type("\u0003");
  await vi.waitFor(
    () => expect(viewer.text().slice(before)).toContain("ready> "),
    { interval: 5 },
  );
  // Before its end comes what was on its way, and no backlog of all that was not read.
  const flooded = viewer.text().indexOf("ready> ", before) - before;
  expect(flooded).toBeLessThan(4_000_000);
});

test("one types at a time; another takes over by asking, and the next follows when that one leaves", async () => {
  const { openShell, look, get } = await startTerminals();
  const { id } = await openShell();
  const first = await look(id);
  await first.hears({ type: "owner", you: true, viewers: 1 });
  const second = await look(id);
  await second.hears({ type: "owner", you: false, viewers: 2 });
  second.type("echo not mine\r");
  await second.hears({ type: "error", code: "TERMINAL_NOT_OWNER" });
  second.say({ type: "resize", cols: 50, rows: 10 });
  await vi.waitFor(() =>
    expect(
      second.heard.filter(({ code }) => code === "TERMINAL_NOT_OWNER"),
    ).toHaveLength(2),
  );
  expect(await get(id)).toMatchObject({ cols: 80, rows: 24, viewers: 2 });
  second.say({ type: "owner" });
  await second.hears({ type: "owner", you: true });
  await first.hears({ type: "owner", you: false });
  second.say({ type: "resize", cols: 50, rows: 10 });
  await first.hears({ type: "resize", cols: 50, rows: 10 });
  second.type("stty size\r");
  await first.sees("10 50");
  expect(first.text()).not.toContain("not mine");
  const heard = first.heard.length;
  second.close();
  await vi.waitFor(() =>
    expect(first.heard.slice(heard)).toContainEqual({
      type: "owner",
      you: true,
      viewers: 1,
    }),
  );
});

test("what a program asks of its terminal is answered once, for any number of viewers", async () => {
  const { open, look } = await startTerminals();
  // Whether it is well is asked last, so that its answer is the end of all.
  const asks = ["[c", "[>c", "[6n", "[?6n", "]11;?\u0007", "]52;c;?\u0007"];
  const { id } = await open({
    kind: "cli",
    command: `node -e '
      process.stdin.setRawMode(true);let got="";
      process.stdin.on("data",d=>{got+=d;if(got.includes("[0n"))console.log(JSON.stringify(got)+"DONE")});
      console.log("up");
      process.stdin.once("data",()=>{got="";
        process.stdout.write(${JSON.stringify(asks)}.map(s=>"\\u001b"+s).join("")+"\\u001b]52;c;aGVsbG8=\\u0007\\u001b[21t\\u001b]0;run me\\r\\nnow\\u0007\\u001b[5n")})'`.replaceAll(
      "\n",
      " ",
    ),
  });
  const viewers = [await look(id)];
  // The first one owns it.
  await viewers[0]!.sees("up");
  viewers.push(await look(id), await look(id));
  await viewers[0]!.hears({ type: "owner", you: true, viewers: 3 });
  viewers[0]!.type("x");
  await viewers[0]!.sees("DONE");
  const answer = JSON.parse(
    /"(?:[^"\\]|\\.)*"(?=DONE)/.exec(viewers[0]!.text())![0],
  ) as string;
  const count = (part: RegExp) => answer.match(part)?.length ?? 0;
  // eslint-disable-next-line no-control-regex -- answers begin with one
  expect(count(/\u001b\[\?1;2c/g), answer).toBe(1);
  expect(count(/R/g)).toBe(2);
  expect(count(/\u005d11;rgb:/g)).toBe(1);
  // Neither the clipboard nor the title is told.
  expect(answer).not.toMatch(/52;|\]l|run me/);
});

test("a title is one short line", async () => {
  const { open, look, get } = await startTerminals();
  const { id } = await open({
    kind: "cli",
    command: `printf '\\033]0;a\\u202eb\\033[31m%s\\007' "$(head -c 9000 /dev/zero | tr '\\0' t)"; printf '\\033]0;ok \\u202e%s\\007up' "$(head -c 9000 /dev/zero | tr '\\0' t)"; read x`,
  });
  const viewer = await look(id);
  await viewer.sees("up");
  await vi.waitFor(async () =>
    expect((await get(id)).title).toMatch(/^ok {2}t{196}$/),
  );
});

test(
  "an endless sequence costs no memory, and later viewers see what follows it",
  { tags: "thorough" },
  async () => {
    const { open, look, hostPid } = await startTerminals();
    const { id } = await open({
      kind: "cli",
      // It begins when it is seen: on a busy machine all of it may be written before.
      command: `read x; printf '\\033]0;'; head -c 10000000 /dev/zero | tr '\\0' t; read x; printf '\\007visible'; read x`,
    });
    const viewer = await look(id);
    await viewer.hears({ type: "owner" });
    viewer.type("\r");
    await vi.waitFor(() => expect(viewer.bytes).toBeGreaterThan(500_000));
    const during = await look(id);
    await during.hears({ type: "owner" });
    viewer.type("\r");
    await during.sees("visible");
    expect(await during.screen()).toMatch(/^\s*visible$/);
    const { readFile } = await import("node:fs/promises");
    const status = await readFile(`/proc/${await hostPid()}/status`, "utf8");
    expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(250_000);
  },
);

test("the size, modes and both screens of a full-screen program come with the screen", async () => {
  const { open, look } = await startTerminals();
  const { id } = await open({
    kind: "cli",
    command: `node -e '
      process.stdout.write("before\\r\\n\\u001b[?1049h\\u001b[2J\\u001b[3;10r\\u001b[?25l\\u001b[?1002h\\u001b[?1006h\\u001b[?2004h\\u001b[5;7Hhere\\u001b[4;1H");
      process.stdin.on("data",()=>process.stdout.write("\\u001b[?1049l\\u001b[?25hafter"))'`.replaceAll(
      "\n",
      " ",
    ),
  });
  const first = await look(id);
  await first.sees("here");
  first.say({ type: "resize", cols: 100, rows: 30 });
  await first.hears({ type: "resize", cols: 100, rows: 30 });
  const second = await look(id);
  await second.hears({ type: "screen", cols: 100, rows: 30 });
  for (const sequence of ["[?1049h", "[?25l", "[?1006h", "[?1002h", "[?2004h"])
    await second.sees(sequence);
  first.type("x\r");
  await second.sees("after");
  expect(await second.screen()).toMatch(/^before\n/);
});
