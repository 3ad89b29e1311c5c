import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partInFull, partInWords } from "../../ui/backup/partNames.ts";
import {
  chosenOf,
  toggleGroup,
  toggleKind,
  toPartTree,
} from "../../ui/restore/partTree.ts";
import type { SnapshotPart } from "../../ui/wire.ts";

const part = (name: string, files = 0): SnapshotPart => ({
  name,
  records: 1,
  files,
  bytes: 1,
});
const parts = [
  part("snippets"),
  part("snippets:snippet"),
  part("automations"),
  part("automations:automation"),
  part("automations:run"),
  part("agents", 3),
  part("agents:agent"),
];
const tree = toPartTree(parts);
const group = (name: string) => tree.find((one) => one.part.name === name)!;

test("parts are grouped by plugin, in the order of their names", () => {
  expect(
    tree.map(({ label, kinds }) => [label, kinds.map((kind) => kind.label)]),
  ).toEqual([
    ["Agents and conversations", ["Agents"]],
    ["Automations", ["Automations and schedules", "Runs"]],
    ["Snippets", ["Snippets"]],
  ]);
});

test("parts of unknown plugins go by their own name", () => {
  expect(partInWords("my-notes")).toBe("My notes");
  expect(partInWords("my-notes:note-book")).toBe("Note book");
  expect(partInFull("my-notes:note-book")).toBe("My notes: note book");
  expect(partInFull("automations:run")).toBe("Automations: runs");
  expect(partInFull("snippets:snippet")).toBe("Snippets");
  // Names that every object has a member of.
  expect(partInWords("constructor")).toBe("Constructor");
});

describe("a choice", () => {
  test("of single kinds becomes the plugin once it is all of them", () => {
    const automations = group("automations");
    let only: ReadonlySet<string> = new Set(["snippets"]);
    only = toggleKind(automations, "automations:run", only);
    expect([...only].sort()).toEqual(["automations:run", "snippets"]);
    expect(chosenOf(automations, only)).toBe("some");
    only = toggleKind(automations, "automations:automation", only);
    expect([...only].sort()).toEqual(["automations", "snippets"]);
    expect(chosenOf(automations, only)).toBe("all");
    only = toggleKind(automations, "automations:run", only);
    expect([...only].sort()).toEqual(["automations:automation", "snippets"]);
  });

  test("of all kinds is not the plugin where it has files too", () => {
    const only = toggleKind(group("agents"), "agents:agent", new Set());
    expect([...only]).toEqual(["agents:agent"]);
  });

  test("never has a plugin and one of its kinds, and leaves other plugins alone", () => {
    const names = parts.map(({ name }) => name);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names)), (presses) => {
        let only: ReadonlySet<string> = new Set();
        for (const name of presses) {
          const plugin = group(name.split(":")[0]!);
          const others = [...only].filter(
            (one) => one.split(":")[0] !== plugin.part.name,
          );
          only = name.includes(":")
            ? toggleKind(plugin, name, only)
            : toggleGroup(plugin, only);
          expect([...only]).toEqual(expect.arrayContaining(others));
          for (const one of only)
            if (one.includes(":"))
              expect(only).not.toContain(one.split(":")[0]);
        }
      }),
    );
  });

  test("of a plugin is taken back by pressing it again", () => {
    fc.assert(
      fc.property(fc.constantFrom(...tree), (one) => {
        const chosen = toggleGroup(one, new Set());
        expect(chosenOf(one, chosen)).toBe("all");
        expect([...toggleGroup(one, chosen)]).toEqual([]);
      }),
    );
  });
});
