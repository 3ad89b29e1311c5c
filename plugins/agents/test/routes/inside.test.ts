import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start();
});
afterAll(() => agents.kernel.stop());

const dataFolder = (...names: string[]) =>
  join(agents.kernel.home, "data", "agents", ...names);

test("a start that a fault of the system prevents names neither errno nor path", async () => {
  const { id } = await agents.create({ cli: "practice" });
  // The agent's own folder cannot be made: a file is in its place.
  await mkdir(dataFolder("sessions"), { recursive: true });
  await writeFile(dataFolder("sessions", id), "");
  const answer = await agents.kernel.api.post(
    `/api/agents/${id}/managed/start`,
  );
  expect(answer).toMatchObject({
    status: 502,
    body: {
      code: "AGENT_START_FAILED",
      detail: expect.not.stringMatching(/\bE[A-Z]{3,}|\//) as string,
    },
  });
  await rm(dataFolder("sessions", id));
  expect((await agents.ask(id, "[[reply:fine]]")).body.answer).toBe("fine");
});

test("a picture that is gone fails its task with the way out, and the next task runs", async () => {
  const { id } = await agents.create({ cli: "practice" });
  const images = [{ mimeType: "image/png", data: PIXEL }];
  const { body } = await agents.kernel.api.post<{ id: string }>(
    `/api/agents/${id}/tasks`,
    { payload: { message: "look", images } },
  );
  const folder = dataFolder("attachments");
  const [file = ""] = (await readdir(folder)).filter((name) =>
    name.startsWith(body.id),
  );
  await rm(join(folder, file));
  expect((await agents.ask(id, "[[reply:fine]]")).body.answer).toBe("fine");
  const tasks = await agents.tasks(id);
  expect(tasks.find((task) => task.id === body.id)).toMatchObject({
    status: "failed",
    reason: expect.stringMatching(
      /^A picture of this message .* send the message again\.$/,
    ) as string,
  });
});
