import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier, definePlugin, NoticeRaised } from "@gantry/plugin";
import type { WholeHome } from "@gantry/plugin";
import { expect, test } from "vitest";
import type { WorkspaceRecord } from "../../src/records/workspace-record.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { temporaryFolder } from "../help/temporary.ts";

test("of two workspaces of one folder, as a merge can bring, the one that was here stays, and a notice reports the other", async () => {
  let home: WholeHome;
  const merger = definePlugin({
    ...{ id: "merger", api: 1, summary: "Made for a test", mounts: [] },
    setup: (ctx) => void (home = ctx.wholeHome),
  });
  const agents = await AgentsKernel.start({ beside: [merger] });
  const path = await temporaryFolder();
  try {
    const { kernel } = agents;
    const added = await kernel.api.post<{ id: string }>("/api/workspaces", {
      path,
    });
    const { id } = added.body;
    const { engine } = kernel.kernel.foundation.core;
    const stored = await engine.get(`agents:workspace:${id}`);
    const { data } = stored as { data: WorkspaceRecord };
    // In front of the one that is here.
    const other = createIdentifier("wsp").replace(/_.{3}/, "_222");
    const record = { v: 1, data: { ...data, id: other, name: "Brought" } };
    const entry = {
      key: `agents:workspace:${other}`,
      text: JSON.stringify(record),
    };
    const stage = await home!.stage();
    await mkdir(join(stage, "store"));
    const lines = `${JSON.stringify(entry)}\n`;
    await writeFile(join(stage, "store", "agents.ndjson"), lines);
    await home!.replace({
      ...{ stage, mode: "merge", keepsSessions: true, note: {} },
    });

    const found = async () => {
      const { body } = await kernel.api.get<{ items: { id: string }[] }>(
        "/api/workspaces",
      );
      return body.items.map((workspace) => workspace.id);
    };
    expect(await found()).toEqual([id]);
    await kernel.restart();
    expect(await found()).toEqual([id]);
    expect(kernel.events.all(NoticeRaised)).toMatchObject([
      {
        data: {
          title: 'A record of "agents" was set aside',
          body: expect.stringContaining(`agents:workspace:${other}`) as string,
        },
      },
    ]);
    // Adding the folder gives the one that stayed.
    expect((await kernel.api.post("/api/workspaces", { path })).body).toEqual(
      added.body,
    );
  } finally {
    await agents.kernel.stop();
  }
});
