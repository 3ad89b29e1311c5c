import fc from "fast-check";
import { expect, test } from "vitest";
import { defineService } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { orderPlugins } from "../../src/plugins/order.ts";
import { createProbe } from "../support/probe.ts";

const token = (name: string) => defineService<unknown>(`test.${name}@1`);

/** A plugin that provides a service of its own name and needs those of others. */
function plugin(id: string, ...needs: string[]): PluginDefinition {
  return createProbe({
    id,
    provides: [token(id)],
    needs: Object.fromEntries(needs.map((need) => [need, token(need)])),
  });
}

test("who provides comes before who needs, in whatever order they were found", () => {
  const plugins = [
    plugin("c", "b"),
    plugin("b", "a"),
    plugin("a"),
    plugin("d", "a", "c"),
  ];
  expect(orderPlugins(plugins)).toEqual({
    ids: ["a", "b", "c", "d"],
    blocked: new Map(),
  });
});

test("a plugin that needs what no plugin provides waits, and so does one that needs it", () => {
  const { ids, blocked } = orderPlugins([
    plugin("a", "missing", "gone"),
    plugin("b", "a"),
    plugin("c", "b"),
    plugin("d"),
  ]);
  expect(ids).toEqual(["d"]);
  expect(Object.fromEntries(blocked)).toEqual({
    a: {
      state: "waiting",
      reason: "nothing provides test.missing@1, test.gone@1",
    },
    b: { state: "waiting", reason: 'it needs "a", which cannot start' },
    c: { state: "waiting", reason: 'it needs "b", which cannot start' },
  });
});

test("a circle of needs is named, and only its members fail", () => {
  const { ids, blocked } = orderPlugins([
    plugin("a", "b"),
    plugin("b", "c"),
    plugin("c", "a"),
    plugin("self", "self"),
    plugin("outside", "a"),
    plugin("fine"),
  ]);
  expect(ids).toEqual(["fine"]);
  for (const member of ["a", "b", "c"]) {
    expect(blocked.get(member)).toEqual({
      state: "failed",
      reason: "its needs go in a circle: a → b → c → a",
    });
  }
  expect(blocked.get("self")).toMatchObject({ state: "failed" });
  expect(blocked.get("outside")).toMatchObject({ state: "waiting" });
});

test("whatever needs what: each is either in order behind all that it needs, or blocked with a reason", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const needs = fc.array(fc.subarray([...names, "nobody"]), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(needs, (needsOf) => {
      const plugins = names.map((name, n) =>
        plugin(name, ...(needsOf[n] ?? [])),
      );
      const { ids, blocked } = orderPlugins(plugins);
      expect([...ids, ...blocked.keys()].sort()).toEqual(names);
      for (const [place, id] of ids.entries()) {
        for (const need of needsOf[names.indexOf(id)] ?? [])
          expect(ids.slice(0, place)).toContain(need);
      }
      for (const id of blocked.keys())
        expect(needsOf[names.indexOf(id)]).not.toEqual([]);
    }),
  );
});
