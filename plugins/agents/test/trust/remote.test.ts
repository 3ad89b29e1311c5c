import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import {
  createRepository,
  plainGit,
  writeFiles,
} from "@gantry/agent-folder/testing";
import { temporaryFolder } from "../help/temporary.ts";

test("trust names the remote of the folder's own repository, not of a linked one", async () => {
  const home = await temporaryFolder();
  const place = await temporaryFolder();
  const own = await createRepository(join(place, "own"), { a: "" });
  await plainGit(own, "remote", "add", "origin", "https://host/own");
  const other = await createRepository(join(place, "other"), { a: "" });
  await plainGit(other, "remote", "add", "origin", "https://token@host/other");
  const leading = join(place, "leading");
  await writeFiles(leading, { b: "" });
  await writeFile(join(leading, ".git"), `gitdir: ${other}/.git\n`);
  await using agents = await AgentsKernel.start({
    home,
    clis: { pi: standIn("fake-pi") },
  });
  for (const cwd of [own, leading]) {
    await writeFiles(cwd, { ".pi/settings.json": "{}" });
    const { id } = await agents.create({ cli: "pi", cwd });
    await agents.kernel.api.post(`/api/agents/${id}/trust`);
  }
  const folder = join(home, "audit");
  const [file = ""] = await readdir(folder);
  const log = await readFile(join(folder, file), "utf8");
  expect(log).toContain("https://host/own");
  expect(log).not.toContain("host/other");
});
