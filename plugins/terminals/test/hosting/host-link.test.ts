import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log, Run } from "@gantry/plugin";
import { createFakeClock } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import { HostLink } from "../../src/hosting/host-link.ts";
import { socketPath } from "../../src/hosting/socket-path.ts";

/** Blocks this process until a file is there, as it is blocked when the system lets others go first. */
function standStillUntil(file: string): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(nothing, 0, 0, 5);
}

test("a host that is up before the daemon gets its turn again is found", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-host-"));
  const stopping = new AbortController();
  const path = await socketPath(folder);
  const detach: Run["detach"] = (file, args, { cwd } = {}) => {
    const child = spawn(file, args, { cwd, detached: true, stdio: "ignore" });
    standStillUntil(`${path}.pid`);
    return Promise.resolve({ pid: child.pid! });
  };
  const log = { info() {}, warn() {}, error() {} } as unknown as Log;
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
  expect(await (await link.get()).request("ping", {})).toEqual({});
});
