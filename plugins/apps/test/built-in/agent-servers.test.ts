import { once } from "node:events";
import { definePlugin } from "@gantry/plugin";
import type { Run } from "@gantry/plugin";
import { AgentServers } from "@gantry/plugin-agents/contract";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { apps } from "../support/apps.ts";

/** Prints the port that it listens on. */
const serverAt = (host: string) =>
  `${process.execPath} -e 'const server = require("node:net").createServer().listen(0, "${host}", () => console.log(server.address().port))'`;

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
    const open = async (id: string, command: string, isHost: boolean) => {
      const child = await run("/bin/sh", ["-c", command], {
        ...{ subject: { type: "agent", id }, isHost },
      });
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      return Number(chunk.toString());
    };
    /** The shell is the agent's CLI, and the server a process that it started. */
    const start = (id: string, host = "127.0.0.1") =>
      open(id, `${serverAt(host)} | cat`, true);
    const list = async (agentId: string) =>
      (await servers()!.list({ agentId }, AbortSignal.timeout(10_000))).items;
    const ports = [await start("agt_1"), await start("agt_1", "::")];
    const other = await start("agt_2");
    await start("agt_1", "127.0.0.2");
    expect(await list("agt_1")).toEqual(
      ports
        .sort((one, two) => one - two)
        .map((port) => ({ port, program: "node", endsWithCli: true })),
    );
    expect(await list("agt_2")).toMatchObject([{ port: other }]);
    // A command that is the server, and a CLI that listens for itself.
    const command = await open("agt_3", `exec ${serverAt("::1")}`, false);
    await open("agt_3", `exec ${serverAt("127.0.0.1")}`, true);
    expect(await list("agt_3")).toMatchObject([
      { port: command, endsWithCli: false },
    ]);
    expect(await list("agt_4")).toEqual([]);
  },
);
