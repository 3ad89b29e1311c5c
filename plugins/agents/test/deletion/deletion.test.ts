import { execFile } from "node:child_process";
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { thoroughUnless } from "@gantry/build/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { startDoomedDaemon } from "../help/doomed-daemon.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { listHome } from "../help/home-listing.ts";
import { Runner } from "../help/runner.ts";
import { mentions, processesIn, until } from "../help/wait.ts";

const IMAGE = {
  mimeType: "image/png",
  data: Buffer.from("a picture").toString("base64"),
};
const ALL = { transcript: true, workFolder: true };

let folder: string;
let agents: AgentsKernel;
let terminals: FakeTerminals;
let runner: Runner;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-deletion-")));
  terminals = new FakeTerminals();
  runner = new Runner();
  agents = await AgentsKernel.start({
    beside: [terminals.plugin, runner.plugin],
    clis: { pi: standIn("fake-pi", { FAKE_PI_HOME: join(folder, "pi") }) },
    limits: { openAgents: 20 },
  });
  // The folders that the first agent of all makes are not its own.
  const { id } = await agents.create({ cli: "practice", name: "Stays" });
  await agents.ask(id, "[[reply:hello]]");
  await agents.close(id);
});
afterEach(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

const api = () => agents.kernel.api;
const listing = () => listHome(agents.kernel.home);

/** Gives an agent one of everything that it can have while it is at rest. */
async function fill(id: string, cli: string): Promise<void> {
  const path = `/api/agents/${id}`;
  await agents.ask(
    id,
    "[[cost:0.5]][[run:echo one > file]][[reply:the secret word]]",
  );
  await api().post(`${path}/bash`, { command: "echo the secret word" });
  await api().post(`${path}/checklist`, {
    items: [{ text: "the secret word" }],
  });
  await api().post(`${path}/drop`, { name: "drop.txt", data: IMAGE.data });
  const [entry] = (await agents.entries(id)).filter(
    ({ message }) => message?.delivery === "prompt",
  );
  await api().post(`${path}/fork`, { entryId: entry?.id });
  await agents.ask(id, "[[reply:another branch]]");
  if (cli === "pi") await api().patch(path, { extraPrompt: "the secret word" });
  await agents.close(id);
  await api().post(`${path}/open`);
  await agents.close(id);
  for (let index = 0; index < 3; index += 1)
    await api().post(`${path}/tasks`, {
      payload: { message: "the secret word", images: [IMAGE] },
    });
}

/** Starts everything that can be in flight, and gives its answers. */
async function beginEverything(id: string, cwd: string) {
  const path = `/api/agents/${id}`;
  const turn = agents.prompt(
    id,
    `[[run:echo $$ > ${cwd}/turn.pid; sleep 300]]`,
  );
  await turn;
  await until(
    () => readFile(join(cwd, "turn.pid")).catch(() => undefined),
    "the turn runs",
  );
  const answers = [
    api().post(`${path}/ask`, { text: "[[reply:later]]" }),
    api().post(`${path}/bash`, {
      command: "echo started > bash.txt; sleep 300; echo the secret word",
    }),
    api().post(`${path}/bash`, {
      command:
        "trap '' TERM HUP INT; while :; do date > again.txt; sleep 0.01; done",
    }),
    api().post(`${path}/snippet`, {
      lang: "sh",
      code: "while :; do date > snippet.txt; sleep 0.01; done",
    }),
    api().post(`${path}/prompt`, {
      message: "the secret word",
      images: [IMAGE],
    }),
  ];
  for (const file of ["bash.txt", "again.txt", "snippet.txt"])
    await until(
      () =>
        access(join(cwd, file)).then(
          () => true,
          () => false,
        ),
      `${file} is there`,
    );
  return answers;
}

for (const cli of ["practice", "pi"])
  describe(`an agent of ${cli}`, { tags: thoroughUnless(cli === "pi") }, () => {
    test("leaves nothing, though everything that it can have is running", async () => {
      const before = await listing();
      const { id, cwd } = await agents.create({ cli, name: "Goes" });
      await fill(id, cli);
      const answers = await beginEverything(id, cwd);
      // What comes in the very moment of the deletion is refused, or gone with it.
      const path = `/api/agents/${id}`;
      const late = () => [
        api().post(`${path}/tasks`, {
          payload: { message: "x", images: [IMAGE] },
        }),
        api().post(`${path}/prompt`, { message: "x", images: [IMAGE] }),
        api().post(`${path}/drop`, { name: "late.txt", data: IMAGE.data }),
        api().post(`${path}/bash`, { command: "sleep 300" }),
        api().post(`${path}/snippet`, { lang: "sh", code: "sleep 10" }),
        api().post(`${path}/checklist`, { items: [{ text: "late" }] }),
        api().post(`${path}/open`),
        api().post(`${path}/clone`),
      ];
      const early = late();
      const deleted = api().delete(path, ALL);
      const after = late();
      expect((await deleted).body).toEqual({ ok: true });
      expect(await processesIn(cwd)).toEqual([]);
      const outcomes = await Promise.all([...answers, ...early, ...after]);
      for (const { status } of outcomes)
        expect([200, 404, 409]).toContain(status);
      // Copies that were made in time are agents of their own.
      for (const { status, body } of outcomes) {
        const copy = (body as { id?: string } | undefined)?.id;
        if (status === 200 && copy?.startsWith("agt_"))
          await api().delete(`/api/agents/${copy}`, ALL);
      }
      expect(await listing()).toEqual(before);
      expect(terminals.running).toEqual([]);
      await expect(access(cwd)).rejects.toThrow("ENOENT");
    });

    test(
      "in a project leaves the project as it was, but for what it was told to do there",
      { tags: "thorough" },
      async () => {
        const cwd = join(folder, "project");
        await mkdir(cwd);
        await writeFile(join(cwd, "mine.txt"), "mine");
        const before = await listing();
        const { id } = await agents.create({ cli, name: "Goes", cwd });
        await fill(id, cli);
        const answers = await beginEverything(id, cwd);
        await api().delete(`/api/agents/${id}`, ALL);
        await Promise.all(answers);
        expect(await listing()).toEqual(before);
        expect(await processesIn(cwd)).toEqual([]);
        expect(await readFile(join(cwd, "mine.txt"), "utf8")).toBe("mine");
        expect(await readdir(join(cwd, ".gantry", "drop"))).toEqual([]);
      },
    );

    test(
      "that is open in its own screen leaves neither terminal nor lock",
      { tags: ["thorough"] },
      async () => {
        const before = await listing();
        const { id } = await agents.create({ cli, name: "Goes" });
        await agents.ask(id, "[[reply:hello]]");
        await api().post(`/api/agents/${id}/open`);
        expect(terminals.running).toHaveLength(1);
        await api().delete(`/api/agents/${id}`, ALL);
        expect(terminals.running).toEqual([]);
        expect(await listing()).toEqual(before);
      },
    );

    test("at a run leaves nothing of it but its cost", async () => {
      const before = await listing();
      const id = await runner.createAgent(cli);
      const outcome = runner.run(id, "[[cost:0.25]][[reply:a]][[sleep:20000]]");
      await agents.untilWorking(id);
      await agents
        .untilEntry(id, ({ kind }) => kind === "usage", "it has cost something")
        .catch(() => undefined);
      await runner.service.removeAgents(
        { automationId: (await agents.get(id)).automationId ?? "" },
        new AbortController().signal,
      );
      expect((await outcome).failure).toBe("cancelled");
      expect(await listing()).toEqual(before);
    });
  });

test("without what may stay, its conversation and its folder stay, and nothing else", async () => {
  const before = await listing();
  const { id, cwd } = await agents.create({ cli: "practice", name: "Goes" });
  await fill(id, "practice");
  await api().delete(`/api/agents/${id}`, {});
  const { files, keys } = await listing();
  expect(keys).toEqual(before.keys);
  expect(files.filter((file) => !file.startsWith("work/goes"))).toEqual(
    [...before.files, `data/agents/transcripts/${id}.jsonl`].sort(),
  );
  await access(join(cwd, "file"));
});

test(
  "a copy continues when its original is deleted",
  { tags: ["thorough"] },
  async () => {
    const { id } = await agents.create({ cli: "practice", name: "Source" });
    await agents.ask(id, "[[reply:hello]]");
    const copy = await api().post<{ id: string }>(`/api/agents/${id}/clone`);
    await api().delete(`/api/agents/${id}`, ALL);
    const { body } = await agents.ask(copy.body.id, "[[recall]]");
    expect(body.answer).toContain("[[reply:hello]]");
    await api().delete(`/api/agents/${copy.body.id}`, ALL);
  },
);

test("what cannot be removed does not keep the rest, and is removed at the next start", async () => {
  const before = await listing();
  const { id, cwd } = await agents.create({ cli: "practice", name: "Goes" });
  await fill(id, "practice");
  const transcript = join(
    agents.kernel.home,
    "data/agents/transcripts",
    `${id}.jsonl`,
  );
  // Something that is no file cannot be removed as one.
  await rm(transcript);
  await mkdir(join(transcript, "in the way"), { recursive: true });
  expect((await api().delete(`/api/agents/${id}`, ALL)).body).toEqual({
    ok: true,
  });
  expect((await api().get(`/api/agents/${id}`)).status).toBe(404);
  await expect(access(cwd)).rejects.toThrow("ENOENT");
  const left = await listing();
  expect(left.files.filter((file) => !before.files.includes(file))).toEqual([
    `data/agents/transcripts/${id}.jsonl`,
    `data/agents/transcripts/${id}.jsonl/in the way`,
  ]);
  await rm(transcript, { recursive: true });
  await writeFile(transcript, "the secret word");
  await agents.kernel.restart();
  await until(
    async () => JSON.stringify(await listing()) === JSON.stringify(before),
    "nothing is left",
  );
});

test(
  "a daemon that is killed in the middle of a deletion finishes it at its next start",
  { tags: "thorough" },
  async () => {
    const home = join(folder, "home");
    const daemon = await startDoomedDaemon(home, {});
    const stays = await daemon.call<{ id: string }>("POST", "/api/agents", {
      name: "Stays",
      cli: "practice",
    });
    await daemon.call("POST", `/api/agents/${stays.body.id}/ask`, {
      text: "[[reply:x]]",
    });
    await daemon.call("POST", `/api/agents/${stays.body.id}/close`);
    const before = await listHome(home);
    const { body } = await daemon.call<{ id: string; cwd: string }>(
      "POST",
      "/api/agents",
      { name: "Goes", cli: "practice" },
    );
    const path = `/api/agents/${body.id}`;
    await daemon.call("POST", `${path}/ask`, {
      text: "[[reply:the secret word]]",
    });
    await daemon.call("POST", `${path}/tasks`, {
      payload: { message: "the secret word", images: [IMAGE] },
    });
    void daemon
      .call("POST", `${path}/bash`, { command: "sleep 300" })
      .catch(() => undefined);
    // So much that its removal takes a while.
    const make =
      "for d in $(seq 1 60); do mkdir d$d; (cd d$d && seq 1 500 | xargs touch); done";
    await promisify(execFile)("sh", ["-c", make], { cwd: body.cwd });
    const deletion = daemon.call("DELETE", path, ALL).catch(() => undefined);
    await until(
      async () =>
        !(await listHome(home)).keys.some((key) =>
          key.startsWith(`agents:agent:${body.id}`),
        ),
      "the agent is forgotten",
    );
    await daemon.kill();
    await deletion;
    expect(await listHome(home)).not.toEqual(before);
    const next = await startDoomedDaemon(home, {});
    await until(
      async () =>
        JSON.stringify(await listHome(home)) === JSON.stringify(before),
      "nothing is left",
    );
    expect(await mentions(join(home, "data"), "the secret word")).toBe(false);
    expect(await processesIn(body.cwd)).toEqual([]);
    await next.kill();
  },
);

test("a deletion that is refused changes nothing", async () => {
  const { id } = await agents.create({ cli: "practice", name: "Stays too" });
  await agents.ask(id, "[[reply:hello]]");
  const running = api().post(`/api/agents/${id}/bash`, {
    command: "echo still here",
  });
  const stale = await api().delete(`/api/agents/${id}`, ALL, {
    "if-match": '"1"',
  });
  expect(stale.status).toBe(412);
  expect((await running).body).toMatchObject({
    output: "still here",
    exitCode: 0,
  });
  expect((await agents.ask(id, "[[recall]]")).body.answer).toContain("hello");
  const twice = await Promise.all([
    api().delete(`/api/agents/${id}`, ALL),
    api().delete(`/api/agents/${id}`, ALL),
  ]);
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 404]);
});
