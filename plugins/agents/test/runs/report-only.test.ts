import { access, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_CLIS } from "../../src/clis/built-in-clis.ts";
import type { AgentRunOutcome } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";
import { TameDriver } from "../help/tame-driver.ts";

const runner = new Runner();
const tame = new TameDriver();
let agents: AgentsKernel;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-report-"));
  const user = { HOME: home, FAKE_PI_HOME: home, CODEX_HOME: home };
  const { opencode } = BUILT_IN_CLIS;
  agents = await AgentsKernel.start({
    beside: [runner.plugin, tame.plugin],
    clis: {
      ...tame.clis,
      pi: standIn("fake-pi", user),
      "old-pi": standIn("fake-pi", { ...user, FAKE_PI_VERSION: "0.74.2" }),
      "deaf-pi": standIn("fake-pi", { ...user, FAKE_PI_NO_EXTENSIONS: "1" }),
      claude: standIn("fake-claude", user),
      // The user allows everything permanently.
      "open-claude": standIn("fake-claude", {
        ...user,
        FAKE_CLAUDE_MODE: "bypassPermissions",
      }),
      codex: standIn("fake-codex", user),
      opencode: { ...opencode!, ...standIn("rough-acp") },
      forgetful: { ...opencode!, ...standIn("rough-acp"), lacks: ["resume"] },
      rough: standIn("rough-acp"),
    },
    limits: { openAgents: 100 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

const REPORT_ONLY = { mode: "report-only", tools: [] } as const;

/** CLIs that a run can be kept to reading with. */
const KEPT = [
  "practice",
  "pi",
  "old-pi",
  "claude",
  "open-claude",
  "codex",
  "opencode",
];
/** CLIs that would act without a question. */
const REFUSED = ["rough", "tame", "deaf-pi"];

/** Tries to change two files in the agent's folder, by a tool and by the shell, then answers. */
async function tryToChange(
  id: string,
  more: Parameters<Runner["run"]>[2] = {},
): Promise<AgentRunOutcome> {
  const { cwd } = await agents.get(id);
  const prompt = `[[run:cat /dev/null]][[write:${join(cwd, "written")}]][[run:touch ${join(cwd, "touched")}]][[reply:my report]]`;
  return await runner.run(id, prompt, { permissions: REPORT_ONLY, ...more });
}

async function filesOf(id: string): Promise<string[]> {
  return await readdir((await agents.get(id)).cwd);
}

describe("a run that only reports", () => {
  test.each(cases([...KEPT, "rough"]))(
    "of %s could change files if it were let",
    async (cli) => {
      const id = await runner.createAgent(cli);
      await tryToChange(id, { permissions: { mode: "reject", tools: [] } });
      expect(await filesOf(id)).toContain("touched");
    },
  );

  test.each(cases(KEPT, 2))("changes nothing with %s", async (cli) => {
    const id = await runner.createAgent(cli);
    const outcome = await tryToChange(id);
    expect(await filesOf(id)).toEqual([]);
    expect([null, "permission-needed"]).toContain(outcome.failure);
  });

  test.each(REFUSED)(
    "is refused with %s, which does not ask first",
    async (cli) => {
      const id = await runner.createAgent(cli);
      const outcome = await tryToChange(id);
      expect(outcome).toMatchObject({
        failure: "permission-needed",
        sessionId: null,
      });
      expect(outcome.message).toMatch(/ask/);
      expect(await filesOf(id)).toEqual([]);
      expect((await agents.get(id)).state).toBe("closed");
    },
  );
});

describe("a run that only reports, on an agent that is open", () => {
  async function openAgent(cli: string): Promise<string> {
    const { id } = await agents.create({ cli });
    await agents.ask(id, "[[reply:hello]]");
    expect((await agents.get(id)).state).toBe("open");
    return id;
  }
  const goOn = { freshSession: false };

  test.each(cases(KEPT, 2))(
    "changes nothing with %s, and leaves it open",
    async (cli) => {
      const id = await openAgent(cli);
      const before = await agents.get(id);
      const outcome = await tryToChange(id, goOn);
      expect(await filesOf(id)).toEqual([]);
      expect([null, "permission-needed"]).toContain(outcome.failure);
      const after = await agents.get(id);
      expect(after).toMatchObject({
        state: "open",
        mode: "managed",
        activity: "idle",
      });
      expect(after.sessionId).toBe(before.sessionId);
      // Its user is bound by nothing.
      await agents.ask(
        id,
        `[[run:touch ${join(after.cwd, "by-the-user")}]][[reply:ok]]`,
      );
      await access(join(after.cwd, "by-the-user"));
      await agents.close(id);
    },
  );

  test.each(cases(REFUSED))(
    "is refused with %s, which continues",
    async (cli) => {
      const id = await openAgent(cli);
      const outcome = await tryToChange(id, goOn);
      expect(outcome).toMatchObject({ failure: "permission-needed" });
      expect(await filesOf(id)).toEqual([]);
      expect((await agents.get(id)).state).toBe("open");
      await agents.close(id);
    },
  );

  test("is refused where the CLI would lose its conversation", async () => {
    const id = await openAgent("forgetful");
    const outcome = await tryToChange(id, goOn);
    expect(outcome).toMatchObject({ failure: "permission-needed" });
    expect(outcome.message).toContain("lose its conversation");
    expect(await filesOf(id)).toEqual([]);
    await agents.close(id);
  });

  test("that is cancelled while it waits leaves the turn of the user alone", async () => {
    const id = await openAgent("pi");
    const asked = agents.ask(id, "[[sleep:300]][[reply:mine]]");
    await agents.untilWorking(id);
    const cancel = new AbortController();
    const { cwd } = await agents.get(id);
    const prompt = `[[write:${join(cwd, "written")}]][[reply:x]]`;
    const more = { permissions: REPORT_ONLY, ...goOn };
    const outcome = runner.run(id, prompt, more, cancel.signal);
    cancel.abort();
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    expect((await asked).body.answer).toBe("mine");
    expect((await agents.get(id)).state).toBe("open");
    expect(await filesOf(id)).toEqual([]);
    await agents.close(id);
  });

  test(
    "opens the agent again after it was cancelled, and not if the user closed it",
    { tags: ["thorough"] },
    async () => {
      const id = await openAgent("pi");
      const cancel = new AbortController();
      const more = { permissions: REPORT_ONLY, ...goOn };
      const first = runner.run(id, "[[sleep:20000]]", more, cancel.signal);
      await agents.untilWorking(id);
      cancel.abort();
      expect(await first).toMatchObject({ failure: "cancelled" });
      expect((await agents.get(id)).state).toBe("open");
      const second = runner.run(id, "[[sleep:20000]]", more);
      await agents.untilWorking(id);
      await agents.close(id);
      expect(await second).toMatchObject({ failure: "cancelled" });
      expect((await agents.get(id)).state).toBe("closed");
    },
  );

  test("waits for the turn of its user", async () => {
    const id = await openAgent("pi");
    const asked = agents.ask(id, "[[sleep:300]][[reply:mine]]");
    await agents.untilWorking(id);
    const outcome = await tryToChange(id, goOn);
    expect(outcome).toMatchObject({ failure: null, message: "my report" });
    expect((await asked).body.answer).toBe("mine");
    expect(await filesOf(id)).toEqual([]);
    await agents.close(id);
  });
});
