import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import plugin from "../src/index.ts";
import { AgentsKernel } from "./help/agents-kernel.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

/** The rows of the table after a mark or heading, cell by cell. */
function rowsAfter(mark: string): string[][] {
  const table = readme.slice(readme.indexOf(mark)).split("\n\n")[1] ?? "";
  return table
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}

test("every error is in the README as it is, and no other", () => {
  const table = Object.entries(errors.definitions)
    .map(([code, { status, title }]) => [code, String(status), title])
    .sort();
  expect(rowsAfter("<!-- errors -->").sort()).toEqual(table);
});

test("every event is in the README as it is, and no other", () => {
  const table = (plugin.events ?? []).map(({ type, summary }) => [
    type,
    summary,
  ]);
  expect(rowsAfter("## Events")).toEqual(table);
});

test("every service is in the README", () => {
  const ids = (plugin.provides ?? []).map(({ id }) => id);
  expect(rowsAfter("## Services").map(([id]) => id)).toEqual(ids);
});

test("every operation is in the README as it is, and no other", async () => {
  await using agents = await AgentsKernel.start();
  const { body } = await agents.kernel.api.get<{
    paths: Record<string, Record<string, { summary: string }>>;
  }>("/api/openapi.json");
  const table = Object.entries(body.paths)
    .filter(([path]) =>
      plugin.mounts.some(
        (mount) => path === mount || path.startsWith(`${mount}/`),
      ),
    )
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary }]) => [
        `${method.toUpperCase()} ${path}`,
        summary,
      ]),
    );
  expect(rowsAfter("<!-- operations -->").sort()).toEqual(table.sort());
});

test("every error that an operation names is one of ours or of the kernel", async () => {
  await using agents = await AgentsKernel.start();
  const known = new Set([...Object.keys(errors.definitions), "STALE_REVISION"]);
  const routes = agents.kernel.kernel.http.app.table.routes();
  const named = routes
    .filter(({ owner }) => owner.plugin === "agents")
    .flatMap(({ definition }) => definition.errors ?? []);
  expect(named.filter((code) => !known.has(code))).toEqual([]);
});
