import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log, Run } from "@gantry/plugin";
import { createFakeClock } from "@gantry/plugin-testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { HostClient } from "../../src/hosting/host-client.ts";
import { HostLink } from "../../src/hosting/host-link.ts";
import { socketPath } from "../../src/hosting/socket-path.ts";

/** Blocks this process until a file is there, as it is blocked when the system lets others go first. */
function standStillUntil(file: string): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(nothing, 0, 0, 5);
}

/** Blocks this process until another one has ended. */
function standStillWhile(pid: number): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const stateOf = () =>
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0];
  while (stateOf() !== "Z") Atomics.wait(nothing, 0, 0, 5);
}

const log = { info() {}, warn() {}, error() {} } as unknown as Log;

function createLink(folder: string, detach: Run["detach"]): HostLink {
  const stopping = new AbortController();
  const link = new HostLink({
    folder,
    run: { detach } as Run,
    clock: createFakeClock(),
    log,
    signal: stopping.signal,
    ear: { exited() {}, lost() {} },
  });
  onTestFinished(async () => {
    await link.leave();
    stopping.abort();
    await rm(folder, { recursive: true });
  });
  return link;
}

test("a host that is up before the daemon gets its turn again is found", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-host-"));
  const path = await socketPath(folder);
  const link = createLink(folder, (file, args, { cwd } = {}) => {
    const child = spawn(file, args, { cwd, detached: true, stdio: "ignore" });
    standStillUntil(`${path}.pid`);
    return Promise.resolve({ pid: child.pid! });
  });
  expect(await (await link.get()).request("ping", {})).toEqual({});
});

test("a host that ends before it takes the connection is not there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-host-"));
  const path = await socketPath(folder);
  // It listens and accepts no connection.
  const host = spawn(process.execPath, [
    "-e",
    'require("net").createServer().listen(process.argv[1], () => { console.log(); for (;;); })',
    path,
  ]);
  await once(host.stdout, "data");
  const { connect } = HostClient;
  vi.spyOn(HostClient, "connect").mockImplementationOnce((to) => {
    const connecting = connect.call(HostClient, to);
    host.kill("SIGKILL");
    standStillWhile(host.pid!);
    return connecting;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const link = createLink(folder, () => Promise.reject(new Error("No.")));
  expect(await link.find()).toBeUndefined();
});
