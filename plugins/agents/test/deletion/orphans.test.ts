import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { listHome } from "../help/home-listing.ts";
import { until } from "../help/wait.ts";

const IMAGE = { mimeType: "image/png", data: "YQ==" };
const GONE = `agt_${"g".repeat(24)}`;

let agents: AgentsKernel;
let home: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "gantry-orphans-")));
  agents = await AgentsKernel.start({ home });
});
afterEach(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

test("what a crash left of no agent is removed at the next start, and nothing else", async () => {
  const { api } = agents.kernel;
  const { id } = await agents.create({ cli: "practice" });
  await agents.ask(id, "[[reply:hello]]");
  await agents.close(id);
  const task = { payload: { message: "later", images: [IMAGE] } };
  await api.post(`/api/agents/${id}/tasks`, task);
  const before = await listHome(home);
  const data = join(home, "data/agents");
  const head = (agentId?: string) =>
    `${JSON.stringify({ begun: "2026-01-01T00:00:00.000Z", agentId })}\n`;
  const older = "practice-00000000-0000-4000-8000-000000000001.jsonl";
  await mkdir(join(data, "sessions", GONE));
  await writeFile(join(data, "sessions", GONE, "receiver.json"), "{}");
  await writeFile(join(data, "attachments", `tsk_${"x".repeat(24)}-0`), "x");
  await writeFile(join(data, "locks", `${"0".repeat(40)}.json`), "torn");
  const orphan = "practice-00000000-0000-4000-8000-000000000002.jsonl";
  await writeFile(join(data, "practice", orphan), head(GONE));
  // Written before it was kept whose it is: nothing shows that it belongs to no agent.
  await writeFile(join(data, "practice", older), head());
  await agents.kernel.restart();
  const expected = [...before.files, `data/agents/practice/${older}`].sort();
  await until(
    async () =>
      JSON.stringify((await listHome(home)).files) === JSON.stringify(expected),
    "the orphans are gone",
  );
  expect((await agents.tasks(id))[0]?.payload).toMatchObject({ images: 1 });
  expect((await agents.ask(id, "[[recall]]")).body.answer).toContain("hello");
});

test(
  "a conversation of a deleted agent stays as long as a copy uses it",
  { tags: ["thorough"] },
  async () => {
    const { api } = agents.kernel;
    const { id } = await agents.create({ cli: "practice", name: "Source" });
    await agents.ask(id, "[[reply:hello]]");
    const { sessionId } = await agents.get(id);
    const copy = await api.post<{ id: string }>(`/api/agents/${id}/clone`);
    const all = { transcript: true, workFolder: false };
    await api.delete(`/api/agents/${id}`, all);
    await agents.kernel.restart();
    const file = `data/agents/practice/${sessionId}.jsonl`;
    expect((await listHome(home)).files).toContain(file);
    await agents.ask(copy.body.id, "[[recall]]");
    await agents.close(copy.body.id);
    await agents.kernel.restart();
    await until(
      async () => !(await listHome(home)).files.includes(file),
      "the source is gone",
    );
    const { body } = await agents.ask(copy.body.id, "[[recall]]");
    expect(body.answer).toContain("hello");
  },
);
