import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { startTestKernel } from "@gantry/plugin-testing";
import type { PluginDefinition } from "@gantry/plugin";
import type { TestKernelOptions } from "@gantry/plugin-testing";
import terminals from "../../src/index.ts";
import { openViewer } from "./viewer.ts";

/** A terminal as the API gives it. */
export interface Terminal {
  id: string;
  name: string;
  kind: string;
  cwd: string;
  state: string;
  prompt: string;
  pid: number;
  exitCode: number | null;
  signal: string | null;
  incarnation: string;
  title: string | null;
  cols: number;
  rows: number;
  revision: number;
  viewers: number;
}

/** A user with a home of their own, whose shell is bash with a short prompt. */
async function makeUser(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-user-"));
  await writeFile(join(folder, ".bashrc"), "PS1='ready> '\nunset HISTFILE\n");
  vi.stubEnv("HOME", folder);
  vi.stubEnv("SHELL", "/bin/bash");
  vi.stubEnv("GANTRY_TEST_SECRET", "only-the-daemon-knows");
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A kernel with the terminals plugin, and what a test does with it. */
export async function startTerminals(
  options: TestKernelOptions & { beside?: PluginDefinition[] } = {},
) {
  const user = await makeUser();
  const { beside = [], ...rest } = options;
  const kernel = await startTestKernel([terminals, ...beside], rest);
  const { cookie, client: api } = await kernel.pairAs("Page");
  let isStopped = false;
  const stop = async ({ killsHost = true } = {}) => {
    if (isStopped) return;
    isStopped = true;
    const pid = await hostPid().catch(() => undefined);
    await kernel.stop();
    if (pid !== undefined && killsHost) killOne(pid);
  };
  onTestFinished(() => stop());

  /** The process that the terminals live in. */
  async function hostPid(): Promise<number> {
    const file = join(kernel.home, "data", "terminals", "host.sock.pid");
    return Number(await readFile(file, "utf8"));
  }
  async function open(body: object = {}): Promise<Terminal> {
    const answer = await api.post<Terminal>("/api/terminals", {
      cwd: user,
      ...body,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  }
  async function get(id: string): Promise<Terminal> {
    return (await api.get<Terminal>(`/api/terminals/${id}`)).body;
  }
  return {
    kernel,
    api,
    user,
    hostPid,
    open,
    get,
    stop,
    look: (id: string) =>
      openViewer(kernel.url, id, { cookie, origin: kernel.url }),
    /** A shell at its prompt. */
    async openShell(body: object = {}) {
      const terminal = await open(body);
      await vi.waitFor(
        async () => expect((await get(terminal.id)).prompt).toBe("ready"),
        { interval: 20 },
      );
      return terminal;
    },
  };
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
