import {
  link,
  lutimes,
  mkdir,
  readdir,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { expect, test } from "vitest";
import type { ShownBlock, ShownView } from "../../src/contract.ts";
import { apps } from "../support/apps.ts";

const KNOWN = createIdentifier("agt");
const DELETED = createIdentifier("agt");
/** Before the fake clock's noon, and long enough ago. */
const OLD = new Date("2026-03-01T12:00:00Z");

/** The agents plugin as far as it is asked here: it knows one agent. */
const agents = provideFake(AgentMessages, {
  describe: ({ agentId }: { agentId: string }) =>
    Promise.resolve(
      agentId === KNOWN
        ? {
            id: KNOWN,
            name: "Builder",
            cwd: "/",
            cli: "practice",
            state: "closed" as const,
          }
        : null,
    ),
} as unknown as AgentMessages);

const view = async (kernel: TestKernel) => {
  const { status, body } = await kernel.api.get<ShownView>(
    "/api/apps/disk/view",
  );
  expect(status).toBe(200);
  return body;
};
const act = async (kernel: TestKernel, action: string) =>
  await kernel.api.post<{ toast?: { text: string } }>("/api/apps/disk/action", {
    action,
  });

/** The block with a title, wherever in the page. */
function find<Type extends ShownBlock["type"]>(
  { blocks }: ShownView,
  type: Type,
  title: string,
): Extract<ShownBlock, { type: Type }> {
  const all = blocks.flatMap((block) =>
    block.type === "split" ? block.blocks : [block],
  );
  const found = all.find(
    (block) => block.type === type && "title" in block && block.title === title,
  );
  if (!found) throw new Error(`There is no ${type} ${title}.`);
  return found as Extract<ShownBlock, { type: Type }>;
}
const cellsOf = (page: ShownView, title: string) =>
  Object.fromEntries(
    find(page, "table", title).rows.map(({ id, cells }) => [id, cells]),
  );
const cleaning = (page: ShownView) =>
  Object.fromEntries(
    find(page, "list", "Clean up").rows.map((row) => [row.id, row]),
  );

/** Puts files into a home, by path. */
async function put(home: string, files: Record<string, number>): Promise<void> {
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, "x".repeat(bytes));
    await utimes(file, OLD, OLD);
  }
}

test("files are counted by plugin and by agent, and no link is followed", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  const { home } = kernel;
  await put(home, {
    [`data/agents/transcripts/${KNOWN}.jsonl`]: 1000,
    [`data/agents/sessions/${KNOWN}/a/b.json`]: 10,
    [`data/agents/transcripts/${DELETED}.jsonl`]: 300,
    "data/backup/one": 5000,
    "machine/browser/profile": 700,
    "work/report.txt": 70,
  });
  await symlink("/", join(home, "work", "everything"));
  await symlink(home, join(home, "data", "agents", "round"));
  await link(join(home, "data/backup/one"), join(home, "data/backup/two"));
  const page = await view(kernel);
  expect(page.refreshMs).toBe(30_000);
  expect(cellsOf(page, "Files of plugins")).toMatchObject({
    agents: { size: { bytes: 1310 }, count: 3 },
    backup: { size: { bytes: 5000 }, count: 1 },
    browser: { size: { bytes: 700 }, count: 1 },
  });
  expect(cellsOf(page, "Files of agents")).toEqual({
    [KNOWN]: {
      agent: { text: "Builder", page: `/agents/${KNOWN}` },
      size: { bytes: 1010 },
      count: 2,
    },
    [DELETED]: { agent: "Deleted agent", size: { bytes: 300 }, count: 1 },
  });
  expect(cellsOf(page, "In the home")).toMatchObject({
    machine: { about: "Files of plugins that are in no backup" },
    work: { about: "Folders of agents that belong to no project" },
    "store.sqlite": { about: "The store" },
  });
});

test("the store is counted by plugin, and the disk's room is shown", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  await kernel.api.put("/api/apps/order", { ids: ["logs", "disk"] });
  const page = await view(kernel);
  const store = find(page, "chart", "Records in the store, by plugin");
  expect(store.labels).toContain("apps");
  expect(store.labels).toContain("kernel");
  const bytes = store.series[0]?.values[store.labels.indexOf("apps")];
  // The key "apps:order" and its value in the store's envelope.
  expect(bytes).toBeGreaterThan(25);
  expect(bytes).toBeLessThan(200);
  const room = find(page, "chart", "Used on the disk of the home");
  expect(room.value).toBeGreaterThan(0);
  expect(room.max).toBeGreaterThan(room.value!);
});

test("a measurement is shown again for some seconds", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  await put(kernel.home, { "data/one/file": 10 });
  expect(cellsOf(await view(kernel), "Files of plugins")).toMatchObject({
    one: { count: 1 },
  });
  await put(kernel.home, { "data/one/other": 10 });
  expect(cellsOf(await view(kernel), "Files of plugins")).toMatchObject({
    one: { count: 1 },
  });
  await kernel.clock.advance(10_000);
  expect(cellsOf(await view(kernel), "Files of plugins")).toMatchObject({
    one: { count: 2 },
  });
});

test("clearing the cache removes what can be made again, and nothing else", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  await put(kernel.home, {
    "cache/utilities/a.css": 1000,
    "cache/utilities/a.css.br": 200,
  });
  const before = await readdir(join(kernel.home, "cache"));
  expect(before).toContain("utilities");
  expect(cleaning(await view(kernel)).cache).toMatchObject({
    cells: { size: { bytes: 1200 } },
    actions: [{ action: "clear-cache", isDisabled: false }],
  });
  const { body } = await act(kernel, "clear-cache");
  expect(body).toEqual({
    toast: { text: "Removed 2 files, 1.2 kB.", tone: "success" },
  });
  expect(await readdir(join(kernel.home, "cache"))).toEqual(
    before.filter((name) => name !== "utilities"),
  );
  expect(cleaning(await view(kernel)).cache).toMatchObject({
    cells: { size: { bytes: 0 } },
    actions: [{ isDisabled: true }],
  });
  expect((await act(kernel, "clear-cache")).body).toEqual({
    toast: { text: "There was nothing to remove.", tone: "success" },
  });
});

test("conversations of deleted agents are removed, and no others", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  const folder = "data/agents/transcripts";
  const young = createIdentifier("agt");
  await put(kernel.home, {
    [`${folder}/${KNOWN}.jsonl`]: 1,
    [`${folder}/${DELETED}.jsonl`]: 2000,
    [`${folder}/${young}.jsonl`]: 1,
    [`${folder}/notes.txt`]: 1,
    [`${folder}/agt_short.jsonl`]: 1,
    "outside.jsonl": 1,
  });
  await utimes(
    join(kernel.home, folder, `${young}.jsonl`),
    kernel.clock.now() / 1000,
    kernel.clock.now() / 1000,
  );
  const linked = createIdentifier("agt");
  await symlink(
    join(kernel.home, "outside.jsonl"),
    join(kernel.home, folder, `${linked}.jsonl`),
  );
  await lutimes(join(kernel.home, folder, `${linked}.jsonl`), OLD, OLD);
  expect(cleaning(await view(kernel)).conversations).toMatchObject({
    detail: "1 conversation was kept when its agent was deleted.",
    actions: [
      {
        isDanger: true,
        confirm:
          "This deletes 1 conversation (2.0 kB). Only a backup can bring them back.",
      },
    ],
  });
  const agentsOf = async () =>
    Object.keys(cellsOf(await view(kernel), "Files of agents"));
  expect(await agentsOf()).toContain(DELETED);
  await act(kernel, "remove-conversations");
  expect(await agentsOf()).not.toContain(DELETED);
  expect((await readdir(join(kernel.home, folder))).sort()).toEqual(
    [
      `${KNOWN}.jsonl`,
      `${young}.jsonl`,
      `${linked}.jsonl`,
      "notes.txt",
      "agt_short.jsonl",
    ].sort(),
  );
});

test("without the agents nothing of theirs is offered or removed", async () => {
  await using kernel = await startTestKernel([apps]);
  const file = `data/agents/transcripts/${DELETED}.jsonl`;
  await put(kernel.home, { [file]: 2000 });
  const page = await view(kernel);
  expect(cleaning(page).conversations).toBeUndefined();
  expect(cellsOf(page, "Files of agents")).toMatchObject({
    [DELETED]: { agent: DELETED },
  });
  expect((await act(kernel, "remove-conversations")).body).toEqual({
    toast: { text: "There was nothing to remove.", tone: "success" },
  });
  expect(await readdir(join(kernel.home, file, ".."))).toHaveLength(1);
});

test("a page or an action that it does not have is refused", async () => {
  await using kernel = await startTestKernel([agents, apps]);
  const answer = await kernel.api.get("/api/apps/disk/view", { path: "x" });
  expect(answer).toMatchObject({
    status: 404,
    body: {
      code: "APP_PAGE_NOT_FOUND",
      detail: "The app disk refused: It has one page only.",
    },
  });
  for (const action of ["format", "to-string"])
    expect(await act(kernel, action)).toMatchObject({
      status: 409,
      body: { code: "APP_REFUSED" },
    });
});
