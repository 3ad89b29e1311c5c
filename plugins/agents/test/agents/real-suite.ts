import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer, type ModelServer } from "@gantry/model-server";
import { readEventStream } from "@gantry/plugin-testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { mentions, processesIn, until } from "../help/wait.ts";

/** A real CLI to put through the suite. */
export interface RealSubject {
  name: string;
  version: string;
  /** Name of its driver, and of the CLI in the configuration. */
  driver: string;
  configure: (home: string, models: ModelServer) => Promise<Clis[string]>;
  resumes: boolean;
  steers: boolean;
  asks: boolean;
  /** What 1000 tokens in and 200 out cost, `null` if it does not say. */
  price: number | null;
  tokens: boolean;
  /** It does not tell what its shell has put out. */
  quietTools?: boolean;
  /** Another model than the usual one, if it can be chosen. */
  otherModel?: string;
  extraPrompt: boolean;
  /** Tools that are left when it may only read. */
  readOnly?: (tools: readonly string[]) => boolean;
  /** Where it keeps its conversations, below its home, if it writes them down a while after the turn. */
  records?: string;
  /** Makes a folder bring what the CLI would run, which leaves the mark. */
  plant?: (cwd: string, mark: string) => Promise<void>;
}

/** What every real CLI must do. */
export function testRealCli(subject: RealSubject): void {
  describe(`the real ${subject.name} ${subject.version}`, () => {
    let models: ModelServer;
    let agents: AgentsKernel;
    let home: string;
    const cli = subject.driver;

    beforeAll(async () => {
      models = await startModelServer();
      home = await realpath(await mkdtemp(join(tmpdir(), "gantry-real-")));
      const config = await subject.configure(join(home, "user"), models);
      agents = await AgentsKernel.start({
        clis: { [cli]: config } as Clis,
        limits: { openAgents: 40 },
      });
    });
    afterAll(async () => {
      await agents.kernel.stop();
      await models.close();
      await rm(home, { recursive: true, force: true });
    });

    const create = (more: object = {}) => agents.create({ cli, ...more });

    /** Asks, and says yes to whatever it asks meanwhile. */
    const askAllowing = async (id: string, text: string, kind = "allow") => {
      let isOver = false;
      const asked = agents.ask(id, text, 40_000).finally(() => (isOver = true));
      const titles: string[] = [];
      while (!isOver) {
        const { dialog } = await agents.get(id);
        // Once: what is allowed permanently is not asked for again.
        const option = dialog?.options.find(
          (each) => each.kind === kind && !/always|session/i.test(each.label),
        );
        if (dialog && option) {
          titles.push(dialog.title);
          await agents.kernel.api.post(`/api/agents/${id}/ui`, {
            dialogId: dialog.id,
            optionId: option.id,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return { answer: await asked, titles };
    };

    test("it starts, and its version is known", async () => {
      const { id } = await create();
      const started = await agents.kernel.api.post(
        `/api/agents/${id}/managed/start`,
      );
      expect(started.body).toEqual({ mode: "managed" });
      const { body } = await agents.kernel.api.get<{
        items: { name: string }[];
      }>("/api/agents/clis");
      expect(body.items.find(({ name }) => name === cli)).toMatchObject({
        version: subject.version,
        installed: true,
      });
    });

    test("it answers a prompt and streams the answer", async () => {
      const { id } = await create();
      const stream = readEventStream(
        await agents.kernel.api.open(`/api/agents/${id}/stream`),
      );
      const { body } = await agents.ask(
        id,
        "[[usage:1000:200]][[reply:good morning to you]]",
        40_000,
      );
      expect(body).toMatchObject({
        answer: "good morning to you",
        stopReason: "end",
      });
      let text = "";
      await stream.until(({ event, data }) => {
        if (event === "delta") text += (data as { text: string }).text;
        return event === "turn-ended";
      });
      await stream.close();
      expect(text).toBe("good morning to you");
    });

    test("its cost is what the tokens cost, and unknown where it does not say", async () => {
      const { id } = await create();
      const ask = () =>
        agents.ask(id, "[[usage:1000:200]][[reply:paid]]", 40_000);
      const first = (await ask()).body.costUsd;
      const second = (await ask()).body.costUsd;
      if (subject.price === null) expect([first, second]).toEqual([null, null]);
      else {
        expect(first).toBeCloseTo(subject.price, 6);
        expect(second).toBeCloseTo(subject.price, 6);
      }
      const { usage } = await agents.get(id);
      if (subject.tokens)
        expect(usage).toMatchObject({ inputTokens: 2000, outputTokens: 400 });
      else expect(usage.inputTokens).toBeNull();
    });

    test("a tool call has its output", async () => {
      const { id, cwd } = await create();
      const { answer } = await askAllowing(
        id,
        "[[reply:let me see]][[tool:bash:pwd && exit 3]][[reply:all done]]",
      );
      expect(answer.body.answer).toBe("all done");
      const entries = await agents.entries(id);
      const tool = entries.find(({ kind }) => kind === "tool");
      if (!subject.quietTools) expect(tool?.text).toContain(cwd);
      expect(`${tool?.tool?.title} ${tool?.tool?.input}`).toContain(
        "pwd && exit 3",
      );
      expect(entries.map(({ text }) => text)).toContain("let me see");
    });

    test.runIf(subject.asks)(
      "a permission is asked for, and both answers count",
      async () => {
        const { id, cwd } = await create();
        const yes = await askAllowing(
          id,
          "[[tool:bash:touch allowed-file]][[reply:did it]]",
        );
        expect(yes.titles.join()).toContain("touch allowed-file");
        expect(yes.answer.body.answer).toBe("did it");
        await readFile(join(cwd, "allowed-file"));
        const no = await askAllowing(
          id,
          "[[tool:bash:touch rejected-file]][[reply:could not]]",
          "reject",
        );
        expect(no.titles.join()).toContain("touch rejected-file");
        await expect(readFile(join(cwd, "rejected-file"))).rejects.toThrow();
      },
    );

    test("an abort reaches the model", async () => {
      const { id } = await create();
      const asked = agents.ask(
        id,
        "[[reply:one ]][[gate:never]][[reply:two]]",
        40_000,
      );
      const request = await models.waitFor(
        ({ gate }) => gate === "never",
        20_000,
      );
      expect(
        (await agents.kernel.api.post(`/api/agents/${id}/abort`)).body,
      ).toEqual({ aborted: true });
      expect((await asked).body.stopReason).toBe("cancelled");
      await models.waitFor(
        (entry) => entry === request && entry.outcome === "client-gone",
      );
      expect(
        (await agents.ask(id, "[[reply:still here]]", 40_000)).body.answer,
      ).toBe("still here");
    });

    test("an abort reaches a tool, and nothing of it lives on", async () => {
      const { id, cwd } = await create();
      const asked = askAllowing(
        id,
        "[[tool:bash:echo $$ > pid && sleep 300]][[reply:never]]",
      );
      await until(
        () => readFile(join(cwd, "pid"), "utf8").catch(() => ""),
        "the tool runs",
      );
      await agents.kernel.api.post(`/api/agents/${id}/abort`);
      expect((await asked).answer.body).toMatchObject({
        stopReason: "cancelled",
      });
      await agents.close(id);
      // By their folder: a sandbox has numbers of its own for its processes.
      await until(
        async () => (await processesIn(cwd)).length === 0,
        "the tool is gone",
      );
    });

    test.runIf(subject.resumes)("it resumes after it was closed", async () => {
      const { id } = await create();
      await agents.ask(id, "My name is Ada. [[reply:noted]]", 40_000);
      const { sessionId } = await agents.get(id);
      await agents.close(id);
      const { body } = await agents.ask(
        id,
        "[[usage:1000:200]][[recall]]",
        40_000,
      );
      expect(body.answer).toContain("My name is Ada");
      if (subject.price !== null)
        expect(body.costUsd).toBeCloseTo(subject.price, 6);
      expect((await agents.get(id)).sessionId).toBe(sessionId);
      const answers = (await agents.entries(id)).filter(
        ({ role, kind }) => role === "assistant" && kind === "text",
      );
      expect(answers).toHaveLength(2);
    });

    test.runIf(subject.resumes)(
      "it continues after its process was killed in the middle of a turn",
      async () => {
        const { id, cwd } = await create();
        await agents.ask(id, "Remember the fox. [[reply:yes]]", 40_000);
        const { records } = subject;
        if (records)
          await until(
            () => mentions(join(home, "user", records), "Remember the fox"),
            "it is written down",
          );
        const gate = `kill-${cli}`;
        const asked = agents.ask(id, `[[reply:a ]][[gate:${gate}]]`, 40_000);
        await models.waitFor((request) => request.gate === gate, 20_000);
        for (const pid of await processesIn(cwd)) process.kill(pid, "SIGKILL");
        expect((await asked).status).toBe(502);
        expect(
          (await agents.ask(id, "[[recall]]", 40_000)).body.answer,
        ).toContain("Remember the fox");
      },
    );

    test("prompts during a turn wait for it", async () => {
      const { id } = await create();
      const gate = `queue-${cli}`;
      const first = agents.ask(id, `[[gate:${gate}]][[reply:first]]`, 40_000);
      await models.waitFor((request) => request.gate === gate, 20_000);
      const queued = await agents.prompt(id, "[[reply:second]]");
      expect(queued.delivery).toBe("queued");
      const third = agents.ask(id, "[[reply:third]]", 40_000);
      models.openGate(gate);
      expect((await first).body.answer).toBe("first");
      expect((await third).body.answer).toBe("third");
      const finished = agents.kernel.events
        .all(TurnFinished)
        .filter(({ subject: of }) => of === id);
      expect(finished).toHaveLength(3);
    });

    test.runIf(subject.steers)(
      "a message is steered into the turn",
      async () => {
        const { id, cwd } = await create();
        const asked = askAllowing(
          id,
          "[[tool:bash:until [ -f go ]; do sleep 0.05; done]][[reply:base]]",
        );
        await models.waitFor(({ calls }) =>
          calls.some((call) => JSON.stringify(call).includes("-f go")),
        );
        await agents.untilAgent(
          id,
          ({ activity }) => activity === "working",
          "the tool runs",
        );
        await agents.prompt(id, "[[reply:steered]]", "steer");
        await until(
          async () =>
            (await agents.tasks(id)).some(
              ({ kind, status }) => kind === "steer" && status === "delivered",
            ),
          "it was steered",
        );
        await writeFile(join(cwd, "go"), "");
        expect((await asked).answer.body.answer).toBe("steered");
        expect(
          agents.kernel.events
            .all(TurnFinished)
            .filter(({ subject: of }) => of === id),
        ).toHaveLength(1);
      },
    );

    test("the model's failure is the turn's", async () => {
      const { id } = await create();
      const failed = await agents.ask(
        id,
        "[[error:400::bad request says the model]]",
        40_000,
      );
      expect(failed.status).toBe(502);
      expect(JSON.stringify(failed.body)).toContain(
        "bad request says the model",
      );
      expect(
        (await agents.ask(id, "[[reply:better]]", 40_000)).body.answer,
      ).toBe("better");
    });

    test.runIf(subject.otherModel)("a model is chosen", async () => {
      const { id } = await create({ model: subject.otherModel });
      const words = `[[reply:model ${cli}]]`;
      await agents.ask(id, words, 40_000);
      const request = models.requests.find(({ prompt }) => prompt === words);
      expect(subject.otherModel).toContain(request?.model);
    });

    test.runIf(subject.extraPrompt)(
      "an extra prompt reaches the model",
      async () => {
        const { id } = await create({ extraPrompt: "Always rhyme." });
        const words = `[[reply:extra ${cli}]]`;
        await agents.ask(id, words, 40_000);
        const request = models.requests.find(({ prompt }) => prompt === words);
        expect(request?.system).toContain("Always rhyme.");
      },
    );

    test.runIf(subject.readOnly)(
      "one that may only read has nothing to write with",
      async () => {
        const { id, cwd } = await create({ readOnly: true });
        const words = `[[tool:bash:touch written-${cli}]][[reply:tried ${cli}]]`;
        await askAllowing(id, words);
        const request = models.requests.find(({ prompt }) => prompt === words);
        expect(subject.readOnly?.(request?.tools ?? [])).toBe(true);
        await expect(readFile(join(cwd, `written-${cli}`))).rejects.toThrow();
      },
    );

    test.runIf(subject.plant)(
      "what a folder brings runs only after it was trusted",
      async () => {
        const cwd = join(home, "project");
        const mark = join(home, "it-ran");
        await mkdir(cwd, { recursive: true });
        await subject.plant?.(cwd, mark);
        const { id } = await create({ cwd });
        expect(
          (await agents.ask(id, "[[reply:x]]", 40_000)).body,
        ).toMatchObject({
          code: "AGENT_TRUST_REQUIRED",
        });
        await expect(readFile(mark)).rejects.toThrow();
        await agents.kernel.api.post(`/api/agents/${id}/trust`);
        expect(
          (await agents.ask(id, "[[reply:trusted]]", 40_000)).body.answer,
        ).toBe("trusted");
        await readFile(mark);
      },
    );

    test("nothing of the daemon's is in its environment", async () => {
      const { id, cwd } = await create();
      await askAllowing(id, "[[tool:bash:env > env-of-tool]][[reply:ok]]");
      const env = await readFile(join(cwd, "env-of-tool"), "utf8");
      expect(env).toContain("PATH=");
      expect(env).not.toMatch(/^(NODE_OPTIONS|GANTRY_[A-Z_]*(TOKEN|SECRET))=/m);
    });
  });
}
