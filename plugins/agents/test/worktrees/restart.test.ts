import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { until } from "../help/wait.ts";

test("a setup that a stop of the daemon cut off runs again, before any message", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "shop"), {
    "a.txt": "one\n",
  });
  const agents = await AgentsKernel.start();
  await using _ = agents.kernel;
  const { id, cwd: own } = await agents.create({
    ...{ cli: "practice", name: "Sets up", cwd },
    worktree: {
      setup:
        "echo begun >> log; until [ -e go ]; do sleep 0.05; done; echo ready > done",
    },
  });
  const log = () => readFile(join(own, "log"), "utf8").catch(() => "");
  await until(async () => (await log()) === "begun\n", "the setup runs");
  await agents.kernel.restart();
  await until(async () => (await log()) === "begun\nbegun\n", "it runs again");
  const asked = agents.ask(id, "[[run:cat done]]");
  await writeFile(join(own, "go"), "");
  expect((await asked).status).toBe(200);
  const entries = await agents.entries(id);
  expect(entries.findLast(({ kind }) => kind === "tool")?.text.trim()).toBe(
    "ready",
  );
  expect((await agents.get(id)).worktree?.state).toBe("ready");
});

test("a worktree whose agent a crash kept from being stored is removed at the next start", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "shop"), {
    "a.txt": "one\n",
  });
  const gate = await temporaryFolder();
  await writeFiles(cwd, {
    ".git/hooks/post-checkout": `#!/bin/sh
touch ${gate}/reached; until [ -e ${gate}/go ]; do sleep 0.05; done
`,
  });
  await chmod(join(cwd, ".git/hooks/post-checkout"), 0o755);
  const workFolder = join(await temporaryFolder(), "work");
  const agents = await AgentsKernel.start({ workFolder });
  await using _ = agents.kernel;
  const { api } = agents.kernel;
  const { id } = await agents.create({ cli: "practice", name: "Here", cwd });
  const path = `/api/agents/${id}/git`;
  const { body } = await api.get<{ programs: { mark: string } }>(
    `${path}/shipping`,
  );
  const { mark } = body.programs;
  await api.post(`${path}/programs`, { mark, trusted: true });

  const made = agents.create({
    ...{ cli: "practice", name: "Apart", cwd, worktree: {} },
  });
  await until(
    async () => (await readdir(gate)).includes("reached"),
    "the files are checked out",
  );
  const home = join(await temporaryFolder(), "home");
  copyCrashedHome(agents.kernel.home, home);
  await writeFiles(workFolder, {
    ".deleted-mine/kept": "",
    [`.deleted-agt_${"x".repeat(24)}/gone`]: "",
  });
  await writeFile(join(gate, "go"), "");
  const apart = await made;

  await agents.kernel.restart();
  await agents.ask(apart.id, "[[reply:here]]");
  expect(await readdir(apart.cwd)).toContain("a.txt");
  expect(dirname(apart.cwd)).toBe(workFolder);

  const crashed = await AgentsKernel.start({ home, workFolder });
  await using __ = crashed.kernel;
  await until(
    async () => (await readdir(workFolder)).join() === ".deleted-mine",
    "the worktree without an agent is gone, and what was set aside",
  );
  await until(
    async () => !(await plainGit(cwd, "worktree", "list")).includes("apart"),
    "git has forgotten it",
  );
});
