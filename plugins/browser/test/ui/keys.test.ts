import { describe, expect, test } from "vitest";
import {
  toKeyMessage,
  toViewCommand,
  type KeyLike,
} from "../../ui/live/keyMessages.ts";

const key = (name: string, fields: Partial<KeyLike> = {}): KeyLike => ({
  key: name,
  code: "",
  location: 0,
  isComposing: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  getModifierState: () => false,
  ...fields,
});
const altGraph = { getModifierState: (name: string) => name === "AltGraph" };

describe("a key for the page", () => {
  test.each([
    ["a", key("a", { code: "KeyA" }), { text: "a", modifiers: 0 }],
    ["A", key("A", { shiftKey: true }), { text: "A", modifiers: 8 }],
    ["é", key("é"), { text: "é" }],
    ["Enter", key("Enter"), { text: "\r" }],
    ["Escape", key("Escape"), { key: "Escape" }],
    ["Ctrl A", key("a", { ctrlKey: true }), { modifiers: 2 }],
    [
      "AltGr",
      key("@", { ctrlKey: true, altKey: true, ...altGraph }),
      { text: "@", modifiers: 0 },
    ],
  ])("%s", (_, event, message) => {
    expect(toKeyMessage(event, "down", false)).toMatchObject(message);
  });

  test("has no text with Ctrl or Alt, nor when it is released", () => {
    for (const held of [{ ctrlKey: true }, { altKey: true }])
      expect(toKeyMessage(key("a", held), "down", false)).not.toHaveProperty(
        "text",
      );
    expect(toKeyMessage(key("a"), "up", false)).not.toHaveProperty("text");
  });

  test("with Option on a Mac is the selected character", () => {
    expect(
      toKeyMessage(key("@", { altKey: true }), "down", true),
    ).toMatchObject({ text: "@", modifiers: 0 });
  });
});

test.each([
  ["of an input method", key("Process")],
  ["while composing", key("a", { isComposing: true })],
  ["that is dead", key("Dead")],
  ["that pastes", key("v", { ctrlKey: true })],
  ["of a phone", key("Unidentified")],
  ["for the user's own browser", key("t", { metaKey: true })],
])("a key %s is left alone", (_, event) => {
  expect(toKeyMessage(event, "down", false)).toBeUndefined();
});

test.each([
  ["leave", key("F6", { shiftKey: true })],
  ["address", key("l", { ctrlKey: true })],
  ["find", key("f", { metaKey: true })],
  ["reload", key("F5")],
  ["back", key("ArrowLeft", { altKey: true })],
  [undefined, key("F6")],
  [undefined, key("l")],
  [undefined, key("l", { ctrlKey: true, shiftKey: true })],
])("%s is a command of the view", (command, event) => {
  expect(toViewCommand(event, false)).toBe(command);
});
