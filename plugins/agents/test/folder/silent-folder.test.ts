import files, { chmod, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, delimiter, join } from "node:path";
import {
  afterEach,
  beforeEach,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

const real = { ...files };
let answer: PromiseWithResolvers<void>;
let hung = 0;
let reached: () => void = () => {};

/** Calls on what is named "silent" do not end before {@link answer} does. */
function holdUp(call: "lstat" | "realpath"): void {
  const held = real[call] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(files, {
    async [call](...args: unknown[]) {
      if (basename(String(args[0])) === "silent") {
        hung += 1;
        reached();
        await answer.promise;
      }
      return await held(...args);
    },
  });
}

interface Answer {
  code?: string;
  detail?: string;
}

beforeEach(() => {
  answer = Promise.withResolvers();
  hung = 0;
});

afterEach(() => {
  answer.resolve();
  Object.assign(files, real);
  syncBuiltinESMExports();
  vi.unstubAllEnvs();
});

/** Makes programs that look at folders find those named "silent" as silent as this process does. */
async function silenceFind(folder: string): Promise<void> {
  const find = join(folder, "find");
  await writeFile(
    find,
    '#!/bin/sh\ncase "$2" in */silent*) exec sleep 3600 ;; esac\n',
  );
  await chmod(find, 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"]}`);
}

test("a folder that never answers ends in 504 for itself, and holds up no other", async () => {
  const folder = await temporaryFolder();
  const silent = join(folder, "a/silent");
  await writeFiles(folder, { "a/silent/x.txt": "x\n", "b/b.txt": "b\n" });
  const agents = await AgentsKernel.start({ fakeTime: true });
  onTestFinished(() => agents.kernel.stop());
  const { api, clock } = agents.kernel;
  const make = (name: string) =>
    agents.create({ cli: "practice", cwd: join(folder, name) });
  const [{ id }, other] = [await make("a"), await make("b")];
  holdUp("lstat");
  holdUp("realpath");
  syncBuiltinESMExports();

  const browse = `/api/agents/${id}/browse`;
  const asked = [
    ...[1, 2, 3, 4].map(() => api.get<Answer>(browse, { dir: "silent" })),
    api.get<Answer>(`/api/agents/${id}/text`, { path: "silent/x.txt" }),
    api.post<Answer>("/api/agents", { name: "New", cwd: silent }),
    api.post<Answer>("/api/workspaces", { path: silent }),
  ];
  // Two of the agent's, and those of the folder that has no agent yet.
  while (hung < 4) await new Promise<void>((resolve) => (reached = resolve));
  // From then on they count as slow, and others do not wait for them.
  await clock.advance(500);
  for (const path of ["browse", "text?path=b.txt", "gitstatus"])
    expect((await api.get(`/api/agents/${other.id}/${path}`)).status).toBe(200);
  await clock.advance(10_000);
  for (const { status, body } of await Promise.all(asked))
    expect({ status, code: body.code }).toEqual({
      status: 504,
      code: "FOLDER_SILENT",
    });
  const again = await api.get<Answer>(browse, { dir: "silent" });
  expect(again.body.detail).toContain(join(folder, "a"));
  expect(hung).toBe(4);

  answer.resolve();
  await expect
    .poll(async () => (await api.get(browse, { dir: "silent" })).status)
    .toBe(200);
});

test("folders that answered and fall silent together hold up no other", async () => {
  const folder = await temporaryFolder();
  await silenceFind(folder);
  const names = Array.from({ length: 10 }, (_, at) => `dead${at}`);
  for (const name of [...names, "healthy"])
    await writeFiles(folder, { [`${name}/silent/x.txt`]: "x\n" });
  const agents = await AgentsKernel.start({ fakeTime: true });
  onTestFinished(() => agents.kernel.stop());
  const { api, clock } = agents.kernel;
  const make = (path: string) =>
    agents.create({ cli: "practice", cwd: join(folder, path) });
  const dead = await Promise.all(
    names.map(async (name) => await make(`${name}/silent`)),
  );
  const healthy = await make("healthy");
  holdUp("lstat");
  holdUp("realpath");
  syncBuiltinESMExports();

  const asked = dead.flatMap(({ id }) =>
    ["browse", "text?path=x.txt", "gitstatus"].map((path) =>
      api.get<Answer>(`/api/agents/${id}/${path}`),
    ),
  );
  while (hung < 4) await new Promise<void>((resolve) => (reached = resolve));
  await clock.advance(500);
  const held = hung;
  for (let passed = 0; passed < 25_000; passed += 5_000) {
    await clock.advance(5_000);
    expect((await api.get(`/api/agents/${healthy.id}/browse`)).status).toBe(
      200,
    );
  }
  for (const { status, body } of await Promise.all(asked))
    expect({ status, code: body.code }).toEqual({
      status: 504,
      code: "FOLDER_SILENT",
    });
  expect(hung).toBe(held);
});
