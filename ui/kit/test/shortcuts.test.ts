import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createShortcutRegistry,
  type ShortcutRegistry,
} from "../src/shortcuts/shortcutRegistry.ts";
import { parseKeys, toLabels } from "../src/shortcuts/parseKeys.ts";

let registry: ShortcutRegistry;
let stop: () => void;
const failures = vi.fn();

beforeEach(() => {
  document.body.innerHTML = "";
  registry = createShortcutRegistry(failures);
  stop = registry.listen();
});
afterEach(() => stop());

function press(
  key: string,
  init: KeyboardEventInit = {},
  target: Element = document.body,
): KeyboardEvent {
  const event = new KeyboardEvent("keydown", {
    key,
    bubbles: true,
    cancelable: true,
    ...init,
  });
  target.dispatchEvent(event);
  return event;
}

function add(html: string, selector: string): Element {
  document.body.innerHTML = html;
  return document.querySelector(selector)!;
}

test("runs on its keys and on no others", () => {
  const run = vi.fn();
  registry.add({ "mod+k": { run }, "?": { run }, "shift+x": { run } });
  press("k");
  press("k", { ctrlKey: true, shiftKey: true });
  press("x");
  expect(run).not.toHaveBeenCalled();
  expect(press("k", { ctrlKey: true }).defaultPrevented).toBe(true);
  press("?", { shiftKey: true });
  press("X", { shiftKey: true });
  expect(run).toHaveBeenCalledTimes(3);
});

test("keys one after the other, within a second", () => {
  const run = vi.fn();
  registry.add({ "g a": { run }, "g b": { run: vi.fn() } });
  press("g");
  press("x");
  press("a");
  expect(run).not.toHaveBeenCalled();
  press("g");
  press("Shift");
  press("a");
  expect(run).toHaveBeenCalledOnce();
});

test("plain keys do nothing while the user types, held ones do not", () => {
  const plain = vi.fn();
  const held = vi.fn();
  registry.add({ n: { run: plain }, "mod+k": { run: held } });
  for (const html of [
    "<input>",
    "<textarea></textarea>",
    "<select></select>",
    '<div role="combobox" tabindex="0"></div>',
    '<div data-shortcuts="typing" tabindex="0"></div>',
  ]) {
    const field = add(html, "*");
    const target = document.body.firstElementChild ?? field;
    press("n", {}, target);
    press("k", { ctrlKey: true }, target);
  }
  expect(plain).not.toHaveBeenCalled();
  expect(held).toHaveBeenCalledTimes(5);
  press("n", {}, add('<input type="checkbox">', "input"));
  expect(plain).toHaveBeenCalledOnce();
});

test("a terminal keeps all keys for itself", () => {
  const run = vi.fn();
  registry.add({ "mod+k": { run } });
  press(
    "k",
    { ctrlKey: true },
    add('<div data-shortcuts="off"><textarea></textarea></div>', "textarea"),
  );
  expect(run).not.toHaveBeenCalled();
});

test("an open dialog keeps them too, but for those that say otherwise", () => {
  const run = vi.fn();
  const inside = vi.fn();
  registry.add({ n: { run }, "mod+k": { run: inside, inDialogs: true } });
  add('<div role="dialog" data-state="open"></div>', "div");
  press("n");
  press("k", { ctrlKey: true });
  expect(run).not.toHaveBeenCalled();
  expect(inside).toHaveBeenCalledOnce();
});

test("the last one with the same keys wins, and gives way when it goes", () => {
  const first = vi.fn();
  const last = vi.fn();
  registry.add({ n: { run: first } });
  const undo = registry.add({ n: { run: last } });
  press("n");
  undo();
  undo();
  press("n");
  expect([first, last].map((spy) => spy.mock.calls.length)).toEqual([1, 1]);
});

test("one that is not for now, is held down, or was taken by the page does not run", () => {
  const run = vi.fn();
  let now = false;
  registry.add({ n: { run, when: () => now } });
  press("n");
  now = true;
  press("n", { repeat: true });
  press("n", { isComposing: true });
  const stopFirst = (event: Event) => event.preventDefault();
  document.body.addEventListener("keydown", stopFirst, { once: true });
  press("n");
  expect(run).not.toHaveBeenCalled();
  press("n");
  expect(run).toHaveBeenCalledOnce();
});

test("one that throws is reported and harms nothing", () => {
  registry.add({
    n: {
      run: () => {
        throw new Error("broken");
      },
    },
  });
  press("n");
  expect(failures).toHaveBeenCalledOnce();
});

test("keys are shown as the machine names them", () => {
  expect(toLabels("mod+shift+k", false)).toEqual([["Ctrl", "Shift", "K"]]);
  expect(toLabels("mod+shift+k", true)).toEqual([["⌘", "⇧", "K"]]);
  expect(toLabels("g esc", false)).toEqual([["G"], ["Esc"]]);
  expect(parseKeys("ctrl++", false)).toMatchObject([{ ctrl: true }]);
});
