import { createFakeClock } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { InputGate } from "../../src/view/input-gate.ts";
import { Screencast } from "../../src/view/screencast.ts";
import type { TabSession } from "../../src/view/tab-session.ts";
import type { ViewMessage } from "../../src/view/view-messages.ts";
import { Viewer, Viewers } from "../../src/view/viewers.ts";
import type { Picture } from "../../src/view/viewers.ts";

const text = ({ bytes }: Picture) => Buffer.from(bytes).toString();
const base64 = (words: string) => Buffer.from(words).toString("base64");

/** A screencast of a page whose part the test plays. */
async function start() {
  const calls: string[] = [];
  const stills: ((words: string) => void)[] = [];
  const shown: Picture[] = [];
  /** How often the state of the page was to be read. */
  const rests = { count: 0 };
  const drawn: (() => void)[] = [];
  const clock = createFakeClock();
  const session = {
    ...{ targetId: "t", sessionId: "s" },
    call(method: string) {
      calls.push(method);
      return Promise.resolve({});
    },
    post(method: string, _params: object, done?: (answer: object) => void) {
      calls.push(method);
      if (method === "Page.captureScreenshot")
        stills.push((words) => done?.({ result: { data: base64(words) } }));
      if (method === "Runtime.evaluate") drawn.push(() => done?.({}));
    },
  } as unknown as TabSession;
  const screencast = new Screencast({
    ...{ session, clock, gate: new InputGate(session, clock) },
    show: (picture) => void shown.push(picture),
    onRest: () => void rests.count++,
  });
  await screencast.start();
  const frame = (words: string) =>
    screencast.take({
      method: "Page.screencastFrame",
      params: { data: base64(words), sessionId: 1 },
    });
  return { screencast, clock, calls, stills, shown, frame, rests, drawn };
}

test("each frame is acknowledged at once, and one still follows when the page rests", async () => {
  const { clock, calls, stills, shown, frame } = await start();
  frame("one");
  frame("two");
  expect(
    calls.filter((name) => name === "Page.screencastFrameAck"),
  ).toHaveLength(2);
  expect(shown.map(text)).toEqual(["one", "two"]);
  await clock.advance(150);
  stills.shift()!("sharp");
  // Taking a still causes a frame, which is none of the page's changes.
  frame("two, drawn again");
  await clock.advance(150);
  stills.shift()!("sharp");
  frame("two, drawn again");
  await clock.advance(60_000);
  expect(stills).toEqual([]);
  expect(shown.map(text)).toEqual(["one", "two", "sharp"]);
  expect(shown.at(-1)).toMatchObject({ still: true, format: "webp" });
});

test("nothing is sent and no still is taken while nothing changes", async () => {
  const { clock, calls, stills, shown, frame } = await start();
  frame("one");
  await clock.advance(150);
  stills.shift()!("sharp");
  calls.length = 0;
  await clock.advance(3_600_000);
  expect([shown.length, calls]).toEqual([2, []]);
});

test("a frame after input counts as a change, also right after a still", async () => {
  const { screencast, clock, stills, shown, frame } = await start();
  frame("one");
  await clock.advance(150);
  screencast.noteInput();
  stills.shift()!("sharp");
  frame("pressed");
  expect(shown.map(text)).toEqual(["one", "sharp", "pressed"]);
});

test("the state of the page is read after the still, when the page has handled the input before it", async () => {
  const { screencast, clock, stills, rests } = await start();
  await clock.advance(150);
  stills.shift()!("sharp");
  const { count } = rests;
  screencast.runInput(() => {});
  await clock.advance(500);
  expect([stills.length, rests.count]).toEqual([1, count]);
  stills.shift()!("sharp");
  expect(rests.count).toBe(count + 1);
});

test("input that a still delays is followed by another one", async () => {
  const { screencast, clock, stills, drawn, rests } = await start();
  await screencast.resize({ width: 390, height: 844, scale: 2, touch: true });
  await clock.advance(150);
  let touched = 0;
  screencast.runInput(() => touched++);
  stills.shift()!("sharp");
  // The page is not drawn at its own scale for a while.
  await clock.advance(500);
  for (const end of stills.splice(0)) end("sharp");
  expect(touched).toBe(0);
  for (const done of drawn.splice(0)) done();
  expect(touched).toBe(1);
  const { count } = rests;
  await clock.advance(500);
  stills.shift()!("sharp");
  expect(rests.count).toBe(count + 1);
});

test("no still is taken while a dialog is open, and one afterwards", async () => {
  const { screencast, clock, stills, frame } = await start();
  frame("one");
  screencast.pause(true);
  await clock.advance(5_000);
  expect(stills).toEqual([]);
  screencast.pause(false);
  await clock.advance(150);
  expect(stills).toHaveLength(1);
});

/** A viewer that receives pictures, but has drawn none until `shown` is called. */
function createViewer() {
  const sent: string[] = [];
  const messages: object[] = [];
  const viewer = new Viewer({
    send: (message) => void messages.push(message as ViewMessage),
    sendBytes: (bytes) => void sent.push(Buffer.from(bytes).toString()),
  });
  return { viewer, sent, messages };
}

const picture = (words: string): Picture => ({
  ...{ bytes: Buffer.from(words), width: 1, height: 1 },
  ...{ format: "jpeg", still: false },
});

test("a viewer that draws nothing gets one picture, later the newest, and delays no other viewer", () => {
  const slow = createViewer();
  const quick = createViewer();
  const viewers = new Viewers();
  viewers.add(slow.viewer);
  viewers.add(quick.viewer);
  for (let number = 1; number <= 1_000; number++) {
    viewers.show(picture(`frame ${number}`));
    quick.viewer.shown(number);
  }
  expect(slow.sent).toEqual(["frame 1"]);
  expect(quick.sent).toHaveLength(1_000);
  // What was never sent is not acknowledged.
  slow.viewer.shown(7);
  expect(slow.sent).toHaveLength(1);
  slow.viewer.shown(1);
  expect(slow.sent).toEqual(["frame 1", "frame 1000"]);
});

test("the size is that of the first viewer that asked for one", () => {
  const viewers = new Viewers();
  const [first, second] = [createViewer().viewer, createViewer().viewer];
  viewers.add(first);
  viewers.add(second);
  const size = { width: 390, height: 844, scale: 2, touch: true };
  second.size = size;
  expect(viewers.size).toEqual(size);
  first.size = { ...size, width: 1_280 };
  expect(viewers.size?.width).toBe(1_280);
  viewers.remove(first);
  expect(viewers.size).toEqual(size);
});
