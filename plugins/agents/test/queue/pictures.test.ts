import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { ScriptedCli, until } from "@gantry/agent-kit/testing";
import { StoreOutage } from "../help/store-outage.ts";

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGES = [{ mimeType: "image/png", data: PIXEL }];

let cli: ScriptedCli;

beforeEach(() => {
  cli = new ScriptedCli({ isReadable: true });
});

const start = () =>
  AgentsKernel.start({ clis: cli.clis, beside: [cli.plugin()] });

const send = (
  agents: AgentsKernel,
  id: string,
  message: string,
  kind: string,
) =>
  agents.kernel.api.post(`/api/agents/${id}/prompt`, {
    ...{ message, kind },
    images: IMAGES,
  });

const pictures = ({ kernel }: AgentsKernel) =>
  readdir(join(kernel.home, "data", "agents", "attachments"));

test("the pictures of a steer are removed once it is delivered", async () => {
  await using agents = await start();
  const { id } = await agents.create({ cli: "scripted" });
  await agents.prompt(id, "hello");
  await until(() => cli.hasPrompt, "the prompt is there");
  await cli.work();
  await send(agents, id, "look", "steer");
  await until(() => cli.steered.includes("look"), "it was steered");
  await cli.finish();
  await agents.untilIdle(id);
  await until(
    async () => (await pictures(agents)).length === 0,
    "the pictures are gone",
  );
});

test("the pictures of a message are removed also if its turn ends before its delivery is stored", async () => {
  await using agents = await start();
  const outage = new StoreOutage(agents);
  const { id } = await agents.create({ cli: "scripted" });
  await send(agents, id, "look", "prompt");
  await until(() => cli.hasPrompt, "the prompt is there");
  outage.refuses = (value) => value.includes('"status":"delivered"');
  cli.confirm();
  await until(() => outage.refused > 0, "the delivery could not be stored");
  await cli.finish();
  await agents.untilIdle(id);
  outage.refuses = undefined;
  await until(
    async () => (await pictures(agents)).length === 0,
    "the pictures are gone",
  );
});
