import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createRepository, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

interface Found {
  items: { path: string }[];
  truncated: boolean;
}

async function startIn(cwd: string, fakeTime = false) {
  const agents = await AgentsKernel.start({ fakeTime });
  const { id } = await agents.create({ cli: "practice", cwd });
  const find = async (q: string) => {
    const path = `/api/agents/${id}/files`;
    const { body } = await agents.kernel.api.get<Found>(path, { q });
    return { ...body, paths: body.items.map((item) => item.path) };
  };
  return { agents, find };
}

test("a repository is searched as git lists it: tracked and new, and nothing that is ignored", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    "src/alpha.ts": "",
    "src/é/beta.ts": "",
    ".gitignore": "node_modules\n",
  });
  await writeFiles(cwd, {
    "new/alpha2.ts": "",
    "node_modules/x/alpha.js": "",
  });
  const { agents, find } = await startIn(cwd);
  await using _ = agents.kernel;
  const { paths, truncated } = await find("alpha");
  expect(paths).toEqual(["src/alpha.ts", "new/alpha2.ts"]);
  expect(truncated).toBe(false);
  expect((await find("é/b")).paths).toEqual(["src/é/beta.ts"]);
  expect((await find("")).paths).toHaveLength(4);
  expect((await find("zzz")).paths).toEqual([]);
});

test("a folder without a repository is walked; one of others' packages is passed over", async () => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, {
    "a/b/c/deep.txt": "",
    "node_modules/deep.js": "",
    "top.txt": "",
  });
  const { agents, find } = await startIn(cwd);
  await using _ = agents.kernel;
  expect((await find("deep")).paths).toEqual(["a/b/c/deep.txt"]);
  expect((await find("")).paths).toEqual(["top.txt", "a/b/c/deep.txt"]);
});

test("what is new is found soon, and an unused list is forgotten", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "one.txt"), "");
  const { agents, find } = await startIn(cwd, true);
  await using _ = agents.kernel;
  expect((await find("")).paths).toEqual(["one.txt"]);
  await writeFile(join(cwd, "two.txt"), "");
  expect((await find("")).paths).toEqual(["one.txt"]);
  await agents.kernel.clock.advance(61_000);
  expect((await find("")).paths).toEqual(["one.txt", "two.txt"]);
});
