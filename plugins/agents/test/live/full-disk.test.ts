import { afterEach, expect, test, vi } from "vitest";
import { errors } from "../../src/errors.ts";
import { AppendedFile } from "../../src/transcript/appended-file.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";

afterEach(() => void vi.restoreAllMocks());

test("a full disk for transcripts loses neither the end of a turn nor its cost", async () => {
  await using agents = await AgentsKernel.start();
  const { id } = await agents.create({ cli: "practice" });
  await agents.prompt(id, "[[cost:0.3]][[ask:Sure?]]");
  await agents.untilAgent(
    id,
    ({ dialog }) => dialog !== null,
    "a question is open",
  );
  agents.kernel.expectFault(/disk is full/);
  vi.spyOn(AppendedFile.prototype, "write").mockImplementation(() =>
    Promise.reject(errors.AGENT_DISK_FULL()),
  );
  await agents.kernel.api.post(`/api/agents/${id}/abort`);
  expect(await agents.untilIdle(id)).toMatchObject({
    dialog: null,
    usage: { costUsd: 0.3 },
  });
});
