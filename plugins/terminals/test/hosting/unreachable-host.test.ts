import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../support/is-alive.ts";
import { startTerminals } from "../support/start-terminals.ts";
import type { Terminal } from "../support/start-terminals.ts";

/** More than may wait for a listener to accept them. */
const MANY = 2_000;

/** Connects to a listener that accepts no connection, until its backlog is full. */
async function fillQueue(path: string): Promise<() => void> {
  const waiting: Socket[] = [];
  for (let count = 0; count < MANY; count += 1) {
    const socket = connect(path);
    waiting.push(socket);
    socket.on("error", () => {});
    const refusal = await once(socket, "connect").then(
      () => undefined,
      (error: { code: string }) => error,
    );
    if (refusal) {
      expect(refusal.code).toBe("EAGAIN");
      return () => waiting.forEach((one) => one.destroy());
    }
  }
  throw new Error("The queue is never full.");
}

test("a host that cannot be reached for a while keeps its terminals", async () => {
  const home = await mkdtemp(join(tmpdir(), "gantry-home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const first = await startTerminals({ home });
  const { id, pid } = await first.openShell();
  const host = await first.hostPid();
  await first.stop({ killsHost: false });
  process.kill(host, "SIGSTOP");
  onTestFinished(() => {
    if (isAlive(host)) process.kill(host, "SIGKILL");
  });
  const leave = await fillQueue(join(home, "data", "terminals", "host.sock"));

  const second = await startTerminals({ home });
  const opened = await second.api.post<{ code: string }>("/api/terminals", {
    cwd: home,
  });
  expect(opened).toMatchObject({
    status: 503,
    body: { code: "TERMINAL_UNAVAILABLE" },
  });
  const closed = await second.api.delete(`/api/terminals/${id}`);
  expect(closed.status).toBe(503);
  const list = await second.api.get<{ items: Terminal[] }>("/api/terminals");
  expect(list.body.items).toMatchObject([{ id, state: "running" }]);
  expect(isAlive(pid)).toBe(true);

  leave();
  process.kill(host, "SIGCONT");
  await vi.waitFor(
    async () => expect((await second.get(id)).prompt).toBe("ready"),
    { interval: 50 },
  );
  expect(await second.hostPid()).toBe(host);
  expect(isAlive(pid)).toBe(true);
  await second.stop();
});
