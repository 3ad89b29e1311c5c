import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { createCanaryRepository } from "../support/canary-repository.ts";
import type { CanaryRepository } from "../support/canary-repository.ts";
import { startDaemon } from "../support/daemon.ts";
import { createPiUser, realPi } from "../support/pi-user.ts";
import type { PiUser } from "../support/pi-user.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import {
  commandsOf,
  DEEDS,
  LOOKS,
  readTemplates,
  runTemplate,
} from "../support/template-runs.ts";

/** Calls of tools that would change a file, were they there. */
const WRITING_TOOLS = [
  `[[toolj:write:{"path":"written.txt","content":"x"}]]`,
  `[[toolj:edit:{"path":"README.md","edits":[{"oldText":"#","newText":"##"}]}]]`,
];

describe.skipIf(realPi === undefined)("the templates with pi", () => {
  let stack: AsyncDisposableStack;
  let user: PiUser;
  let api: ApiClient;
  let repository: CanaryRepository;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("pi-templates"));
    repository = await createCanaryRepository(join(folder.path, "work"));
    user = stack.use(await createPiUser(folder.path));
    api = await createApiClient(
      stack.use(
        await startDaemon(join(folder.path, "home"), { env: user.environment }),
      ),
    );
  });
  afterAll(() => stack.disposeAsync());

  test.each(Object.keys(LOOKS))(
    "%s reports and changes nothing",
    async (id) => {
      const [template] = (await readTemplates(api)).filter(
        (one) => one.id === id,
      );
      const looks = LOOKS[id]!;
      // Tests have to be run, so that the order in the prompt is all that keeps this one.
      const isKept = id !== "nightly-tests";
      const deeds = isKept ? DEEDS : [];
      const before = await repository.digest();
      const run = await runTemplate(api, template!, {
        workspace: repository.path,
        cli: "pi",
        script: [
          `[[toolj:read:{"path":"README.md"}]]`,
          ...looks.map((command) => `[[tool:bash:${command}]]`),
          ...deeds.map((command) => `[[tool:bash:${command}]]`),
          ...(isKept ? WRITING_TOOLS : []),
          `[[reply:Report of ${id}.]]`,
        ].join(""),
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
      const commands = (await commandsOf(api, run.agentId)).filter(
        ({ command }) => command !== "",
      );
      expect(commands.map(({ command }) => command)).toEqual([
        ...looks,
        ...deeds,
      ]);
      for (const { command, output } of commands.slice(0, looks.length))
        expect(output, command).not.toContain("Refused:");
      for (const { command, failed, output } of commands.slice(looks.length)) {
        expect(output, command).toContain("Refused: nothing may be changed");
        expect(failed, command).toBe(true);
      }
      // The request to the model lists no tool that writes.
      const request = user.models.requests.findLast(({ prompt }) =>
        prompt.includes(template!.prompt.slice(0, 60)),
      );
      expect(request?.prompt).toContain("Only report.");
      if (isKept)
        expect([...(request?.tools ?? [])].sort()).toEqual([
          "bash",
          "find",
          "grep",
          "ls",
          "read",
        ]);
    },
  );
});
