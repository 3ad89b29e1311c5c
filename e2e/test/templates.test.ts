import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { createCanaryRepository } from "../support/canary-repository.ts";
import type { CanaryRepository } from "../support/canary-repository.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import {
  commandsOf,
  DEEDS,
  LOOKS,
  readTemplates,
  runTemplate,
} from "../support/template-runs.ts";

describe("the templates with the practice agent", () => {
  let stack: AsyncDisposableStack;
  let api: ApiClient;
  let repository: CanaryRepository;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("templates"));
    repository = await createCanaryRepository(join(folder.path, "work"));
    api = await createApiClient(
      stack.use(await startDaemon(join(folder.path, "home"))),
    );
  });
  afterAll(() => stack.disposeAsync());

  test.each(cases(Object.keys(LOOKS)))(
    "%s reports and changes nothing",
    async (id) => {
      const [template] = (await readTemplates(api)).filter(
        (one) => one.id === id,
      );
      const looks = LOOKS[id]!;
      // Tests have to be run, so that the order in the prompt is all that keeps this one.
      const deeds = id === "nightly-tests" ? [] : DEEDS;
      const before = await repository.digest();
      const script = [...looks, ...deeds].map(
        (command) => `[[run:${command}]]`,
      );
      const run = await runTemplate(api, template!, {
        workspace: repository.path,
        cli: "practice",
        script: `${script.join("")}[[reply:Report of ${id}.]]`,
      });
      expect(await repository.digest()).toEqual(before);
      expect(run).toMatchObject({
        result: "done",
        reason: null,
        message: expect.stringContaining(`Report of ${id}.`) as string,
      });
      expect(run.message.includes("policy of the automation refused")).toBe(
        deeds.length > 0,
      );
      const outcome = run.decision.find(({ gate }) => gate === "outcome");
      expect(outcome?.figures["permissionsAsked"]).toBe(deeds.length);
      const commands = await commandsOf(api, run.agentId);
      expect(commands.map(({ command }) => command)).toEqual([
        ...looks,
        ...deeds,
      ]);
      for (const { command, output } of commands.slice(0, looks.length))
        expect(output, command).not.toContain("Not allowed.");
      for (const { command, output } of commands.slice(looks.length))
        expect(output, command).toContain("Not allowed.");
    },
  );

  test("a change would be found", { tags: "thorough" }, async () => {
    const before = await repository.digest();
    const [template] = await readTemplates(api);
    const run = await runTemplate(
      api,
      { ...template!, permissions: { mode: "reject", tools: [] } },
      {
        workspace: repository.path,
        cli: "practice",
        script: "[[run:touch written.txt]][[reply:Done.]]",
      },
    );
    expect(run.result).toBe("done");
    const after = await repository.digest();
    expect(Object.keys(after)).toContain("project/written.txt");
    expect(after).not.toEqual(before);
  });
});
