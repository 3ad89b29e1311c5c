import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import agents from "../src/index.ts";
import { AgentsKernel, standIn } from "./help/agents-kernel.ts";

test.each([
  ["an unknown key", { colour: "red" }, "colour"],
  [
    "a CLI with the name of a built-in one",
    { clis: { practice: { driver: "acp", command: "x" } } },
    "practice",
  ],
  ["a CLI without a command", { clis: { x: { driver: "acp" } } }, "command"],
  [
    "a name that is none",
    { clis: { "../x": { driver: "acp", command: "x" } } },
    "clis",
  ],
  ["no agent at all", { limits: { openAgents: 0 } }, "openAgents"],
  [
    "a path that leads out",
    { clis: { x: { driver: "acp", command: "x", trustPaths: ["../y"] } } },
    "trustPaths",
  ],
])(
  "%s in the configuration keeps the plugin from starting, and is named",
  async (_what, settings, named) => {
    await using kernel = await startTestKernel([agents], {
      settings: { agents: settings },
    });
    kernel.expectFault(/./);
    const status = kernel.kernel.plugins
      .list()
      .find(({ id }) => id === "agents");
    expect(status?.state).toBe("failed");
    expect(status?.reason).toContain(named);
  },
);

test("the default CLI and the folder for work are as configured", async () => {
  const folder = await realpath(
    await mkdtemp(join(tmpdir(), "gantry-config-")),
  );
  await using kernel = await startTestKernel([agents], {
    settings: {
      agents: {
        defaultCli: "mine",
        workFolder: folder,
        clis: { mine: standIn("rough-acp") },
      },
    },
  });
  const { body } = await kernel.api.post<{ cli: string; cwd: string }>(
    "/api/agents",
    { name: "Configured" },
  );
  expect(body).toMatchObject({ cli: "mine", cwd: join(folder, "configured") });
  await rm(folder, { recursive: true });
});

test("what needs trust is as configured, and ours needs none", async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "gantry-config-")));
  await mkdir(join(cwd, ".claude"));
  await writeFile(join(cwd, ".claude", "settings.json"), "{}");
  await using kernel = await AgentsKernel.start({
    clis: {
      usual: standIn("rough-acp"),
      own: { ...standIn("rough-acp"), trustPaths: [".own"] } as never,
    },
  });
  const ask = async (cli: string) =>
    (await kernel.ask((await kernel.create({ cli, cwd })).id, "[[reply:x]]"))
      .status;
  expect(await ask("practice")).toBe(200);
  expect(await ask("own")).toBe(200);
  expect(await ask("usual")).toBe(409);
  await writeFile(join(cwd, ".own"), "");
  expect(await ask("own")).toBe(409);
  const { id } = await kernel.create({ cli: "own", cwd });
  for (const already of [false, true]) {
    const { body } = await kernel.kernel.api.post(`/api/agents/${id}/trust`);
    expect(body).toEqual({ trusted: true, already });
  }
  expect(await ask("own")).toBe(200);
  const given = kernel.kernel.kernel.foundation.audit
    .latest(50)
    .filter(({ action }) => action === "agents.trust-given");
  expect(given).toMatchObject([{ by: "agents", details: { path: cwd } }]);
  await rm(cwd, { recursive: true });
});
