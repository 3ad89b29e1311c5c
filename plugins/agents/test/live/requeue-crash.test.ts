import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Transcript } from "../../src/transcript/transcript.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";
import { StoreOutage } from "../help/store-outage.ts";
import { temporaryFolder } from "../help/temporary.ts";

// A message that its CLI does not hold is queued again in two writes. The daemon is killed between them.

let cli: ScriptedCli;

beforeEach(() => {
  cli = new ScriptedCli({ isReadable: true });
});
afterEach(() => void vi.restoreAllMocks());

const start = (home: string) =>
  AgentsKernel.start({ home, clis: cli.clis, beside: [cli.plugin()] });

/** An agent whose CLI confirmed "hello" but did not store it. */
async function createPromised(agents: AgentsKernel): Promise<string> {
  const { id } = await agents.create({ cli: "scripted" });
  await agents.prompt(id, "hello");
  await until(() => cli.hasPrompt, "the prompt is there");
  cli.promise();
  await until(
    async () => (await agents.tasks(id))[0]?.status === "delivered",
    "it counts as delivered",
  );
  return id;
}

test("before it is queued again: the next start queues it", async () => {
  const root = await temporaryFolder();
  const left = join(root, "left");
  let id: string;
  {
    await using agents = await start(join(root, "home"));
    const outage = new StoreOutage(agents);
    id = await createPromised(agents);
    outage.refuses = (value) => value.includes('"status":"queued"');
    void agents.close(id);
    await until(() => outage.refused > 0, "the store refused the write");
    copyCrashedHome(agents.kernel.home, left);
    cli.crash();
    outage.refuses = undefined;
  }
  cli.isWilling = true;
  await using agents = await start(left);
  const { cutOff } = await agents.get(id);
  expect(cutOff?.queuedTaskId).not.toBeNull();
  await agents.kernel.api.post(`/api/agents/${id}/continue`, {
    turnId: cutOff?.turnId,
  });
  await until(() => cli.seen.length > 0, "it is sent");
  expect(cli.seen).toEqual(["hello"]);
});

test("after it is queued again: it is sent and shown once", async () => {
  const root = await temporaryFolder();
  const left = join(root, "left");
  let id: string;
  {
    await using agents = await start(join(root, "home"));
    id = await createPromised(agents);
    let resolve = () => undefined as void;
    const isHeldUp = new Promise<void>((done) => (resolve = done));
    const withdraw = vi
      .spyOn(Transcript.prototype, "withdraw")
      .mockReturnValue(isHeldUp);
    void agents.close(id);
    await until(() => withdraw.mock.calls.length > 0, "it is taken out");
    copyCrashedHome(agents.kernel.home, left);
    withdraw.mockRestore();
    cli.crash();
    resolve();
  }
  cli.isWilling = true;
  await using agents = await start(left);
  await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
  await until(() => cli.seen.length > 0, "it is sent again");
  await agents.untilIdle(id);
  const said = (await agents.entries(id)).filter(({ role }) => role === "user");
  expect(said.map(({ text }) => text)).toEqual(["hello"]);
  expect(cli.seen).toEqual(["hello"]);
});
