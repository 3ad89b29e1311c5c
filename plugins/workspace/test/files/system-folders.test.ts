import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WorkspaceKernel } from "../support/workspace-kernel.ts";

let agents: WorkspaceKernel;
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-system-")));
  agents = await WorkspaceKernel.start();
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(folder, { recursive: true, force: true });
});

const NO_FOLDER = { status: 400, body: { code: "AGENT_FOLDER_INVALID" } };
const PROTECTED = { status: 403, body: { code: "PATH_PROTECTED" } };
const NO_FILE = { status: 400, body: { code: "FILE_NOT_REGULAR" } };
const SYSTEM = ["/proc", "/proc/self", "/proc/self/task", "/sys", "/dev"];

test.each(SYSTEM)("%s is no folder for an agent", async (path) => {
  const { api } = agents.kernel;
  const created = await api.post("/api/agents", {
    name: "A",
    cli: "practice",
    cwd: path,
  });
  expect(created).toMatchObject(NO_FOLDER);
  expect(created.body).toMatchObject({
    errors: [{ path: "cwd" }],
    detail: expect.stringContaining("system"),
  });
  expect(await api.post("/api/workspaces", { path })).toMatchObject(NO_FOLDER);
  const { id } = await agents.create();
  expect(await api.patch(`/api/agents/${id}`, { cwd: path })).toMatchObject(
    NO_FOLDER,
  );
});

test("a link to one is none either", async () => {
  const link = join(folder, "link");
  await symlink("/proc/self", link);
  const { api } = agents.kernel;
  expect(await api.post("/api/agents", { name: "A", cwd: link })).toMatchObject(
    NO_FOLDER,
  );
});

test("an agent whose folder became a link to one starts and reads nothing there", async () => {
  const { api } = agents.kernel;
  const cwd = join(folder, "project");
  await mkdir(cwd);
  const { id } = await agents.create({ cwd });
  await rm(cwd, { recursive: true });
  await symlink("/proc/self", cwd);
  const path = `/api/agents/${id}`;
  for (const [operation, body] of [
    ["managed/start", {}],
    ["prompt", { message: "hello" }],
    ["bash", { command: "true" }],
    ["snippet", { lang: "sh", code: "true" }],
    ["trust", {}],
  ] as const)
    expect(
      await api.post(`${path}/${operation}`, body),
      operation,
    ).toMatchObject(NO_FOLDER);
  expect(await api.get(`${path}/browse`)).toMatchObject(PROTECTED);
  expect(await api.get(`${path}/text`, { path: "environ" })).toMatchObject(
    NO_FILE,
  );
  expect(
    await api.post(`${path}/drop`, { name: "a", data: "YQ==" }),
  ).toMatchObject(PROTECTED);
});

test("an agent above them sees all but them", async () => {
  const { api } = agents.kernel;
  const { id } = await agents.create({ cwd: "/" });
  const path = `/api/agents/${id}`;
  expect((await api.get(`${path}/browse`)).status).toBe(200);
  for (const dir of ["proc", "proc/self", "sys", "dev"])
    expect(await api.get(`${path}/browse`, { dir })).toMatchObject(PROTECTED);
  expect(await api.get(`${path}/blob`, { path: "proc/version" })).toMatchObject(
    NO_FILE,
  );
});
