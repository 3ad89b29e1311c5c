import { expect, test } from "vitest";
import { definePluginUi } from "../src/index.ts";

const page = { render: () => null };

test("fills in what a plugin leaves out", () => {
  const ui = definePluginUi({ pages: [{ path: "/", component: page }] });
  expect(ui).toMatchObject({
    kind: "plugin-ui",
    navigation: [],
    slots: {},
    commands: [],
    firstSteps: [],
  });
});

test("refuses a page outside the plugin's own path", () => {
  expect(() =>
    definePluginUi({ pages: [{ path: "notes", component: page }] }),
  ).toThrow(/"notes" must begin with "\/"/);
});

test.each(["notes", "notes:new", "Notes:create-note", "notes:create note"])(
  "refuses %s as id of a command",
  (id) => {
    expect(() =>
      definePluginUi({ commands: [{ id, label: "New note" }] }),
    ).toThrow(/area:verb-noun/);
  },
);
