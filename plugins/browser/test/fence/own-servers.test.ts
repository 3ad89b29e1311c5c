import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { createOwnServers } from "../../src/fence/own-servers.ts";
import {
  parseListening,
  parseLsof,
} from "../../src/fence/own-servers/read-listeners.ts";

const SERVER = `require("node:http").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;

test("servers under an agent or in its folder are its own, no others", async () => {
  let ctx: PluginContext | undefined;
  const plugin = definePlugin({
    id: "servers",
    api: 1,
    summary: "Runs servers",
    mounts: [],
    setup(context) {
      ctx = context as PluginContext;
    },
  });
  await using kernel = await startTestKernel([plugin]);
  const folder = await mkdtemp(join(tmpdir(), "gantry-servers-"));
  const { run, daemon, signal } = ctx!;
  const start = async (options: object) => {
    const child = await run(process.execPath, ["-e", SERVER], options);
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return Number(line.toString());
  };
  const ofAgent = await start({
    cwd: tmpdir(),
    subject: { type: "agent", id: "agt_1" },
  });
  const inFolder = await start({ cwd: folder });
  const ofOther = await start({
    cwd: tmpdir(),
    subject: { type: "agent", id: "agt_2" },
  });
  const inDaemon = createServer().listen(0, "127.0.0.1");
  await once(inDaemon, "listening");
  const { port } = inDaemon.address() as AddressInfo;

  const servers = createOwnServers({
    ...{ run, daemon, signal, clock: kernel.clock },
    folderOf: (agentId) => (agentId === "agt_1" ? folder : null),
  });
  expect(servers.portsOf("agt_1").size).toBe(0);
  await servers.refresh("agt_1");
  const ports = servers.portsOf("agt_1");
  expect([...ports].sort()).toEqual([ofAgent, inFolder].sort());
  expect((await servers.list("agt_2")).map((each) => each.port)).toEqual([
    ofOther,
  ]);
  expect(ports).not.toContain(port);
  expect((await servers.list("agt_3")).length).toBe(0);
  inDaemon.close();
  await rm(folder, { recursive: true });
});

test("reads listeners that localhost reaches from /proc and lsof", () => {
  const line = (local: string, state: string, inode: number) =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 0 0 ${inode} 1`;
  const table = [
    "  sl  local_address rem_address   st",
    line("0100007F:1F90", "0A", 1),
    line("00000000:1F91", "0A", 2),
    line("0100007F:1F92", "01", 3),
    line("0A01A8C0:1F93", "0A", 4),
    line("00000000000000000000000001000000:1F94", "0A", 5),
  ].join("\n");
  expect(parseListening(table)).toEqual([
    ["1", 8080],
    ["2", 8081],
    ["5", 8084],
  ]);
  expect(
    parseLsof(
      "p7\ncnode\nf3\nn*:3000\nn[::1]:3001\nn192.168.1.2:3002\np8\ncvite\nn127.0.0.1:5173\n",
    ),
  ).toEqual([
    { port: 3000, pid: 7, program: "node" },
    { port: 3001, pid: 7, program: "node" },
    { port: 5173, pid: 8, program: "vite" },
  ]);
});
