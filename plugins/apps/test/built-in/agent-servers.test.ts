import { once } from "node:events";
import { definePlugin } from "@gantry/plugin";
import type { Run } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { AgentServers } from "../../src/contract.ts";
import { apps } from "../support/apps.ts";

/** Prints the port; the shell round it is the agent's CLI, and the server a process that it started. */
const serverAt = (host: string) =>
  `${process.execPath} -e 'const server = require("node:net").createServer().listen(0, "${host}", () => console.log(server.address().port))' | cat`;

test(
  "servers that processes of an agent started are its own, by port, and no others",
  { tags: ["thorough"] },
  async () => {
    let run!: Run;
    let servers: () => AgentServers | undefined = () => undefined;
    const runner = definePlugin({
      id: "runner",
      api: 1,
      summary: "Runs programs",
      mounts: [],
      wants: { servers: AgentServers },
      setup(ctx) {
        ({ run } = ctx);
        ({ servers } = ctx.wants);
      },
    });
    await using kernel = await startTestKernel([apps, runner]);
    void kernel;
    const start = async (id: string, host = "127.0.0.1") => {
      const child = await run("/bin/sh", ["-c", serverAt(host)], {
        ...{ subject: { type: "agent", id }, isHost: true },
      });
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      return Number(chunk.toString());
    };
    const list = async (agentId: string) =>
      (await servers()!.list({ agentId }, AbortSignal.timeout(10_000))).items;
    const ports = [await start("agt_1"), await start("agt_1", "::")];
    const other = await start("agt_2");
    await start("agt_1", "127.0.0.2");
    expect(await list("agt_1")).toEqual(
      ports
        .sort((one, two) => one - two)
        .map((port) => ({ port, program: "node" })),
    );
    expect(await list("agt_2")).toMatchObject([{ port: other }]);
    expect(await list("agt_3")).toEqual([]);
  },
);
