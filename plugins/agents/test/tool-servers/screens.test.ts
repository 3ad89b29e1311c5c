import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";
import { mentions, until } from "@gantry/agent-kit/testing";

let folder: string;
let offer: ToolPlugin;
let terminals: FakeTerminals;
let agents: AgentsKernel;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-tools-"));
  offer = new ToolPlugin(folder);
  terminals = new FakeTerminals();
  agents = await AgentsKernel.start({
    beside: [offer.plugin, terminals.plugin],
  });
});
afterEach(async () => {
  await agents.kernel.stop();
  await terminals.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the practice agent in a terminal. */
async function open() {
  const { id } = await agents.create({ cli: "practice" });
  const { body } = await agents.kernel.api.post<{ terminalId: string }>(
    `/api/agents/${id}/open`,
  );
  return { id, terminalId: body.terminalId };
}

test("a screen has tools, and their key is revoked when it ends", async () => {
  const { terminalId } = await open();
  const admitted = offer.admitted[0]!;
  expect(admitted.signal.aborted).toBe(false);
  await terminals.end(terminalId);
  await until(() => admitted.signal.aborted, "the key is void");
});

test("closing the agent revokes the tools of its screen", async () => {
  const { id } = await open();
  await agents.close(id);
  expect(offer.admitted[0]?.signal.aborted).toBe(true);
});

test("the tools of a screen are revoked when the daemon stops, although the screen stays open", async () => {
  await open();
  await agents.kernel.restart();
  expect(offer.admitted[0]?.signal.aborted).toBe(true);
});

test("the practice agent calls tools on its screen, and the key is in no file", async () => {
  await open();
  const { file, args, env } = terminals.opened[0]!.program;
  const { key } = offer.admitted[0]!;
  expect(args.join(" ")).not.toContain(key);
  expect(await mentions(agents.kernel.home, key)).toBe(false);
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdout.on("data", (chunk) => (screen += String(chunk)));
  child.stdin.write('[[tool:echo:{"text":"on screen"}]]\n');
  await until(() => screen.includes("echo: on screen"), "it was called");
  expect(offer.called.at(-1)).toMatchObject({ key });
});
