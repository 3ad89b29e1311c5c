import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findCircles, groupImports, readImports } from "../src/circles.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

describe("the sources of the kernel's packages", () => {
  const graph = readImports(ROOT, ["kernel/*/src/**/*.ts"]);
  const packageOf = (file: string) => file.split("/", 2).join("/");
  // What lies beside the folders of a package is what they are made of or what they make; it is no folder of its own.
  const folderOf = (file: string) =>
    dirname(file) === `${packageOf(file)}/src` ? file : dirname(file);

  test("have imports, within packages and across", () => {
    expect(graph.get("kernel/core/src/kernel.ts")).toContain(
      "kernel/core/src/http-side.ts",
    );
    expect(graph.get("kernel/core/src/http-side.ts")).toContain(
      "kernel/http/src/app.ts",
    );
  });

  test("make no circle of files", () => {
    expect(findCircles(graph)).toEqual([]);
  });

  test("make no circle of folders", () => {
    expect(findCircles(groupImports(graph, folderOf))).toEqual([]);
  });

  test("make no circle of packages", () => {
    expect(findCircles(groupImports(graph, packageOf))).toEqual([]);
  });
});

describe("the sources of plugins and UI, and what the end-to-end tests share", () => {
  const all = readImports(ROOT, [
    "plugins/*/src/**/*.ts",
    "plugins/*/ui/**/*.{ts,vue}",
    "ui/kit/src/**/*.{ts,vue}",
    "ui/shell/app/**/*.{ts,vue}",
    "e2e/support/**/*.ts",
  ]);
  // A block of an app may hold blocks, so what draws them draws itself.
  const drawsItself = "plugins/apps/ui/view/AppBlocks.vue";
  const graph = new Map([...all].filter(([file]) => file !== drawsItself));

  test("have imports, of components and across plugins", () => {
    expect(all.get(drawsItself)).toContain("plugins/apps/ui/view/AppBlock.vue");
    expect(graph.get("plugins/automations/src/runs/executor.ts")).toContain(
      "plugins/agents/src/contract.ts",
    );
    expect(graph.get("e2e/support/changes.ts")).toContain(
      "e2e/support/change.ts",
    );
  });

  test("make no circle of files", () => {
    expect(findCircles(graph)).toEqual([]);
  });
});

const graphOf = (imports: Record<string, string[]>) =>
  new Map(
    Object.entries(imports).map(([name, targets]) => [name, new Set(targets)]),
  );

test("a circle is found wherever it begins", () => {
  const graph = graphOf({ a: ["b"], b: ["c", "d"], c: ["b"], d: [] });
  expect(findCircles(graph)).toEqual([["b", "c", "b"]]);
});

test("two ways to one file are no circle", () => {
  const graph = graphOf({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] });
  expect(findCircles(graph)).toEqual([]);
});
