import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { CONTRACT_VERSION } from "../src/index.ts";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

test("the package and the newest entry of its changelog have the version of the contract", async () => {
  const { version } = JSON.parse(await read("../package.json")) as {
    version: string;
  };
  const changelog = await read("../CHANGELOG.md");
  const [newest] = [...changelog.matchAll(/^## (\S+)/gm)].map(([, at]) => at);
  expect(version).toMatch(new RegExp(`^${CONTRACT_VERSION}\\.\\d+$`));
  expect(newest).toBe(version);
});
