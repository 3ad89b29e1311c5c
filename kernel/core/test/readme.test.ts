import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { expect, test } from "vitest";
import { homePaths } from "@gantry/system/home/home";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

test("every file and folder of a home is in the README", () => {
  const [, section = ""] = /## The home\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  const paths = Object.values(homePaths("/home"))
    .map((path) => relative("/home", path))
    .filter(Boolean);
  for (const path of paths) expect(rows.join("\n")).toContain(`\`${path}`);
});
