import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { definePlugin } from "@gantry/plugin";
import type { Run } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { parseLsof } from "../../src/built-in/ports/read-lsof-ports.ts";
import {
  parseSockets,
  readProcPorts,
} from "../../src/built-in/ports/read-proc-ports.ts";
import type { ShownBlock, ShownView } from "../../src/contract.ts";
import { apps } from "../support/apps.ts";

const LISTENER = `
  const server = require("node:net").createServer().listen(0, "127.0.0.1", () =>
    console.log(server.address().port));`;

async function startPorts() {
  let run!: Run;
  const runner = definePlugin({
    id: "runner",
    api: 1,
    summary: "Runs programs",
    mounts: [],
    setup(ctx) {
      ({ run } = ctx);
    },
  });
  const kernel = await startTestKernel([apps, runner]);
  const findRow = async (port: number) => {
    const { body } = await kernel.api.get<ShownView>("/api/apps/ports/view");
    const table = body.blocks.find(
      (block): block is Extract<ShownBlock, { type: "table" }> =>
        block.type === "table",
    );
    return table?.rows.find(
      ({ cells }) => (cells.port as { text?: string }).text === String(port),
    );
  };
  return { kernel, run, findRow };
}

test("a program of a plugin is named with its port, and stopped from there", async () => {
  const { kernel, run, findRow } = await startPorts();
  await using _kernel = kernel;
  const child = await run(process.execPath, ["-e", LISTENER]);
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(chunk.toString());
  const row = await findRow(port);
  expect(row?.cells).toMatchObject({
    port: { text: String(port), url: `http://localhost:${port}` },
    owner: "runner",
    reach: "This machine",
    pid: String(child.pid),
  });
  const [stop] = row?.actions ?? [];
  const { status } = await kernel.api.post("/api/apps/ports/action", {
    action: stop?.action,
    args: stop?.args,
  });
  expect(status).toBe(200);
  await child.exited;
  expect(await findRow(port)).toBeUndefined();
});

test.each([
  ["exec node -e", "", 0],
  ["node -e", "; true", 0],
  ["node -e", "| cat", 1],
])(
  "a CLI that listens itself has no button, and a server that it runs has one (%s … %s)",
  async (start, rest, buttons) => {
    const { kernel, run, findRow } = await startPorts();
    await using _kernel = kernel;
    const script = `${start.replace("node", process.execPath)} "$0" ${rest}`;
    const child = await run("/bin/sh", ["-c", script, LISTENER], {
      subject: { type: "agent", id: "agt_1" },
      isHost: true,
    });
    const [chunk] = (await once(child.stdout, "data")) as [Buffer];
    const row = await findRow(Number(chunk.toString()));
    expect(row?.cells.owner).toBe("runner");
    expect(row?.actions).toHaveLength(buttons);
    await child.kill();
  },
);

test("the daemon's own ports, and those of others, have no button", async () => {
  const { kernel, findRow } = await startPorts();
  await using _kernel = kernel;
  const row = await findRow(Number(new URL(kernel.url).port));
  expect(row?.cells).toMatchObject({
    program: "gantry",
    owner: "The daemon itself",
  });
  expect(row?.actions).toEqual([]);
});

test("what listens on all addresses of this machine is found", async () => {
  const server = createServer().listen(0, "::");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await readProcPorts()).toContainEqual({
    port,
    address: "::",
    pid: process.pid,
    program: expect.any(String) as string,
  });
  server.close();
});

test("a system without /proc is asked in another way", async () => {
  expect(await readProcPorts("/nowhere")).toBeUndefined();
});

test("addresses are read as the kernel writes them", () => {
  const line = (local: string, state = "0A") =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  0 0 4711 1`;
  const table = [
    "  sl  local_address rem_address   st",
    line("0100007F:1CFC"),
    line("00000000:0050"),
    line("0100007F:0051", "01"),
    line("00000000000000000000000001000000:0052"),
    line("0000000000000000FFFF00000100007F:0053"),
    line("B80D0120000000000000000001000000:0054"),
    "cut off",
  ].join("\n");
  expect(
    parseSockets(table).map(({ address, port }) => `${address} ${port}`),
  ).toEqual([
    "127.0.0.1 7420",
    "0.0.0.0 80",
    "::1 82",
    "127.0.0.1 83",
    "2001:db8::1 84",
  ]);
});

test("what lsof prints is read", () => {
  const text =
    "p312\ncControlCe\nf10\nn*:7000\nf11\nn*:7000\np900\ncnode\nf20\nn127.0.0.1:5173\nf21\nn[::1]:5173\nf22\nnlocal\n";
  expect(parseLsof(text)).toEqual([
    { port: 7000, address: "0.0.0.0", pid: 312, program: "ControlCe" },
    { port: 5173, address: "127.0.0.1", pid: 900, program: "node" },
    { port: 5173, address: "::1", pid: 900, program: "node" },
  ]);
});
