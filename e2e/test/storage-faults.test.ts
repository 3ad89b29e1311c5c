import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { readAll } from "../support/read-all.ts";
import {
  canMount,
  mountSmallDisk,
  setFilesWritable,
} from "../support/small-disk.ts";
import type { SmallDisk } from "../support/small-disk.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const DISK_BYTES = 24 * 1024 * 1024;
/** A record must not fit into what SQLite has left within its own files. */
const LARGE_PROMPT = "x".repeat(100_000);

interface Automation {
  id: string;
  name: string;
  prompt: string;
}

describe.skipIf(!canMount)("a disk that fails", () => {
  let stack: AsyncDisposableStack;
  let disk: SmallDisk;
  let daemon: Daemon;
  let api: ApiClient;
  let before: Automation[];

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("storage"));
    disk = stack.use(
      await mountSmallDisk(join(folder.path, "disk"), DISK_BYTES),
    );
    daemon = stack.use(await startDaemon(join(disk.path, "home")));
    api = await createApiClient(daemon);
    for (const name of ["One", "Two", "Three"])
      expect(await create(name)).toMatchObject({ status: 200 });
    before = await automations();
  });

  afterAll(() => stack.disposeAsync());

  test("a full one refuses what is new, keeps what is there, and takes deletions", async () => {
    await disk.fill();
    const refused = await untilRefused();
    expect(refused).toMatchObject({
      status: 507,
      body: { code: "STORAGE_FULL" },
    });
    const now = await automations();
    expect(now).toEqual(expect.arrayContaining(before));
    const [one] = before;
    const deleted = await api.call("DELETE", `/api/automations/${one!.id}`);
    expect(deleted).toMatchObject({ status: 200 });
    expect(await automations()).toEqual(now.filter(({ id }) => id !== one!.id));
  });

  test("with room again it continues by itself, and after a restart all is there", async () => {
    await disk.free();
    expect(await create("Four")).toMatchObject({ status: 200 });
    await restart();
    expect((await automations()).map(({ name }) => name)).toContain("Four");
  });

  test("one that takes no writes serves what it has, and nothing crashes", async () => {
    const known = await automations();
    await setFilesWritable(daemon.pid, false);
    expect(await create("Five", "short")).toMatchObject({
      status: 503,
      body: { code: "STORAGE_UNAVAILABLE" },
    });
    expect(await automations()).toEqual(known);
    await setFilesWritable(daemon.pid, true);
    expect(await create("Six", "short")).toMatchObject({ status: 200 });
    await restart();
    expect((await automations()).map(({ name }) => name)).toContain("Six");
  });

  const automations = () => readAll<Automation>(api, "/api/automations");

  async function create(name: string, prompt = LARGE_PROMPT) {
    return api.call("POST", "/api/automations", {
      name,
      prompt,
      mode: "start",
      cli: "practice",
    });
  }

  /** SQLite may have some pages left of its own. */
  async function untilRefused() {
    for (let number = 1; number <= 100; number++) {
      const answer = await create(`Filler ${number}`);
      if (answer.status !== 200) return answer;
    }
    throw new Error("A full disk took 100 records.");
  }

  async function restart(): Promise<void> {
    expect(await daemon.stop()).toBe(0);
    daemon = stack.use(await startDaemon(daemon.home));
    api = await createApiClient(daemon);
  }
});
