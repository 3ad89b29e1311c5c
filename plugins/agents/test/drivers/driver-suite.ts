import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thoroughUnless } from "@gantry/build/testing";
import { readEventStream } from "@gantry/plugin-testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { isAlive, until } from "../help/wait.ts";
import { testRoughDriver } from "./rough-suite.ts";

/** A CLI to put through the suite. */
export interface DriverSubject {
  name: string;
  /** Its configuration; `home` is a folder for what it keeps. */
  clis: (home: string) => Clis;
  cli: string;
  /** Another that misbehaves on markers, over the same wire. */
  rough: string;
  steers: boolean;
  /** It confirms a message within a turn only when it gets to it, after the tool that runs. */
  confirmsSteersLate?: boolean;
  /** How the title of a permission request reads, if the wire adds to it. */
  askTitle?: (title: string) => string;
  /** Spending is known only when a turn is over. */
  reportsLate?: boolean;
  /** It says nothing of money. */
  reportsNothing?: boolean;
  /** What a turn of one answer costs by itself. */
  answerCost: number | null;
}

/** What every driver must do, whatever CLI is behind it. */
export function testDriver(subject: DriverSubject): void {
  describe(subject.name, () => {
    let home: string;
    let agents: AgentsKernel;

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "gantry-driver-"));
      agents = await AgentsKernel.start({
        clis: subject.clis(home),
        limits: { openAgents: 50, abortMs: 300 },
      });
    });
    afterAll(async () => {
      await agents.kernel.stop();
      await rm(home, { recursive: true, force: true });
    });

    const create = () => agents.create({ cli: subject.cli });

    test("it starts, once, and stops", async () => {
      const { id } = await create();
      const start = () =>
        agents.kernel.api.post(`/api/agents/${id}/managed/start`);
      const answers = await Promise.all([start(), start()]);
      expect(answers.map(({ body }) => body)).toEqual([
        { mode: "managed" },
        { mode: "managed" },
      ]);
      expect(await agents.get(id)).toMatchObject({
        state: "open",
        mode: "managed",
        activity: "idle",
      });
      const stop = () =>
        agents.kernel.api.post(`/api/agents/${id}/managed/stop`);
      expect((await stop()).body).toEqual({ mode: null });
      expect((await stop()).body).toEqual({ mode: null });
      expect(await agents.get(id)).toMatchObject({
        state: "closed",
        mode: null,
      });
    });

    test("it answers, and the conversation has both sides in order", async () => {
      const { id } = await create();
      expect((await agents.ask(id, "[[reply:good morning]]")).body).toEqual({
        answer: "good morning",
        costUsd: subject.answerCost,
        stopReason: "end",
      });
      const texts = (await agents.entries(id)).filter(
        ({ kind }) => kind === "text",
      );
      expect(texts.map(({ role, text }) => [role, text])).toEqual([
        ["user", "[[reply:good morning]]"],
        ["assistant", "good morning"],
      ]);
      expect((await agents.get(id)).lastMessage).toBe("good morning");
    });

    test("it streams words, and the pieces make the entry", async () => {
      const { id } = await create();
      const stream = readEventStream(
        await agents.kernel.api.open(`/api/agents/${id}/stream`),
      );
      expect((await stream.next())?.event).toBe("snapshot");
      await agents.prompt(id, "[[long:20:2]]");
      let text = "";
      const ids = new Set<string>();
      const end = await stream.until(({ event, data }) => {
        if (event === "delta") {
          const delta = data as { text: string; entryId: string };
          text += delta.text;
          ids.add(delta.entryId);
        }
        return (
          event === "entry" && (data as { role: string }).role === "assistant"
        );
      });
      await stream.close();
      expect(text.split(" ").filter(Boolean)).toHaveLength(20);
      expect(end.data).toMatchObject({ text, id: [...ids][0] });
      expect(ids.size).toBe(1);
    });

    test("thinking is kept apart from the answer", async () => {
      const { id } = await create();
      expect(
        (await agents.ask(id, "[[think:let me see]][[reply:seen]]")).body
          .answer,
      ).toBe("seen");
      expect(await agents.entries(id)).toContainEqual(
        expect.objectContaining({ kind: "thinking", text: "let me see" }),
      );
    });

    test("a tool call has its input and its output", async () => {
      const { id } = await create();
      expect(
        (
          await agents.ask(
            id,
            "[[reply:before]][[run:echo one; exit 3]][[reply:after]]",
          )
        ).body.answer,
      ).toBe("after");
      const entries = await agents.entries(id);
      const tool = entries.find(({ kind }) => kind === "tool");
      expect(tool?.text).toContain("one");
      expect(tool?.tool).toMatchObject({ failed: true });
      expect(tool?.tool?.input).toContain("echo one");
      expect(
        entries.map(({ kind, text }) => (kind === "text" ? text : kind)),
      ).toEqual(expect.arrayContaining(["before", "tool", "after"]));
    });

    test("a permission is asked for, and the answer counts", async () => {
      const { id } = await create();
      const asked = agents.ask(id, "[[ask:Write to disk?]][[reply:written]]");
      const waiting = await agents.untilAgent(
        id,
        ({ dialog }) => dialog !== null,
        "a dialog is open",
      );
      expect(waiting).toMatchObject({
        activity: "waiting",
        dialog: {
          kind: "permission",
          title: subject.askTitle?.("Write to disk?") ?? "Write to disk?",
        },
      });
      const { dialog } = waiting;
      const allow = dialog?.options.find(({ kind }) => kind === "allow");
      const body = { dialogId: dialog?.id, optionId: allow?.id };
      const answers = await Promise.all(
        [1, 2].map(() => agents.kernel.api.post(`/api/agents/${id}/ui`, body)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await asked).body.answer).toBe("written");
      expect((await agents.get(id)).dialog).toBeNull();
      expect(await agents.entries(id)).toContainEqual(
        expect.objectContaining({
          kind: "dialog",
          dialog: expect.objectContaining({ answer: allow?.label }),
        }),
      );
    });

    test("an abort stops a stream", async () => {
      const { id } = await create();
      const asked = agents.ask(id, "[[long:5000:5]]");
      await agents.untilWorking(id);
      expect(
        (await agents.kernel.api.post(`/api/agents/${id}/abort`)).body,
      ).toEqual({ aborted: true });
      expect((await asked).body.stopReason).toBe("cancelled");
      expect(
        (await agents.kernel.api.post(`/api/agents/${id}/abort`)).body,
      ).toEqual({ aborted: false });
      expect((await agents.ask(id, "[[reply:still here]]")).body.answer).toBe(
        "still here",
      );
    });

    test("an abort stops a tool, and nothing of it lives on", async () => {
      const { id, cwd } = await create();
      const asked = agents.ask(
        id,
        `[[run:sleep 300 & echo $! > ${cwd}/pid; wait]]`,
      );
      const pid = await until(
        async () =>
          Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "")),
        "the tool runs",
      );
      await agents.kernel.api.post(`/api/agents/${id}/abort`);
      expect((await asked).body.stopReason).toBe("cancelled");
      await agents.close(id);
      await until(() => !isAlive(pid), "the tool's process is gone");
    });

    test("an abort closes an open dialog", async () => {
      const { id } = await create();
      const asked = agents.ask(id, "[[ask:Really?]][[reply:yes]]");
      const { dialog } = await agents.untilAgent(
        id,
        (agent) => agent.dialog !== null,
        "a dialog is open",
      );
      await agents.kernel.api.post(`/api/agents/${id}/abort`);
      expect((await asked).body.stopReason).toBe("cancelled");
      const late = await agents.kernel.api.post(`/api/agents/${id}/ui`, {
        dialogId: dialog?.id,
        cancelled: true,
      });
      expect(late).toMatchObject({
        status: 409,
        body: { code: "DIALOG_CLOSED" },
      });
    });

    test("it continues after it was closed", async () => {
      const { id } = await create();
      await agents.ask(id, "[[reply:my name is Ada]]");
      const { sessionId } = await agents.get(id);
      await agents.close(id);
      const { body } = await agents.ask(id, "[[recall]]");
      expect(body.answer).toContain("my name is Ada");
      expect((await agents.get(id)).sessionId).toBe(sessionId);
      const answers = (await agents.entries(id)).filter(
        ({ role, kind }) => role === "assistant" && kind === "text",
      );
      // What is told again of the conversation so far is not new.
      expect(answers.map(({ text }) => text)).toEqual([
        "my name is Ada",
        body.answer,
      ]);
    });

    test("it continues after its process was killed in the middle of a turn", async () => {
      const { id, cwd } = await create();
      await agents.ask(id, "[[reply:remember this]]");
      const asked = agents.ask(
        id,
        `[[long:3:1]][[run:echo $PPID > ${cwd}/parent; sleep 300]]`,
      );
      const parent = await until(
        async () =>
          Number(await readFile(join(cwd, "parent"), "utf8").catch(() => "")),
        "the tool runs",
      );
      process.kill(parent, "SIGKILL");
      expect(await asked).toMatchObject({
        status: 502,
        body: { code: "AGENT_TURN_FAILED" },
      });
      await agents.untilAgent(
        id,
        ({ state }) => state === "closed",
        "the agent is closed",
      );
      expect((await agents.ask(id, "[[recall]]")).body.answer).toContain(
        "remember this",
      );
    });

    test("prompts during a turn wait, and each gets its own", async () => {
      const { id } = await create();
      const first = agents.ask(id, "[[sleep:150]][[reply:first]]");
      await agents.untilWorking(id);
      const queued = await agents.prompt(id, "[[reply:second]]");
      expect(queued.delivery).toBe("queued");
      const third = agents.ask(id, "[[reply:third]]");
      expect((await first).body.answer).toBe("first");
      expect((await third).body.answer).toBe("third");
      const texts = (await agents.entries(id))
        .filter(({ kind }) => kind === "text")
        .map(({ text }) => text);
      expect(texts).toEqual([
        "[[sleep:150]][[reply:first]]",
        "first",
        "[[reply:second]]",
        "second",
        "[[reply:third]]",
        "third",
      ]);
      expect((await agents.tasks(id)).map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
        "delivered",
      ]);
    });

    test("a message is steered into the turn, or refused by name", async () => {
      const { id, cwd } = await create();
      const wait = `until [ -f ${cwd}/go ]; do sleep 0.02; done`;
      const asked = agents.ask(id, `[[run:${wait}]][[reply:base]]`);
      await agents.untilWorking(id);
      const steer = await agents.kernel.api.post(`/api/agents/${id}/prompt`, {
        message: "[[reply:steered]]",
        kind: "steer",
      });
      if (!subject.steers) {
        expect(steer).toMatchObject({
          status: 501,
          body: { code: "AGENT_UNSUPPORTED" },
        });
        expect((steer.body as { detail: string }).detail).toContain("steer");
        await writeFile(join(cwd, "go"), "");
        await asked;
        return;
      }
      expect(steer.body).toMatchObject({ delivery: "sent" });
      const untilStatus = (status: string) =>
        until(
          async () => (await agents.tasks(id))[0]?.status === status,
          `the message is ${status}`,
        );
      await untilStatus(
        subject.confirmsSteersLate ? "delivering" : "delivered",
      );
      await writeFile(join(cwd, "go"), "");
      expect((await asked).body.answer).toBe("steered");
      await untilStatus("delivered");
      expect(
        agents.kernel.events
          .all(TurnFinished)
          .filter(({ subject: of }) => of === id),
      ).toHaveLength(1);
      expect(await agents.entries(id)).toContainEqual(
        expect.objectContaining({
          role: "user",
          message: expect.objectContaining({ delivery: "steer" }),
        }),
      );
    });

    (!subject.reportsNothing ? test : test.skip)(
      "what a turn costs is counted for it, the agent and the day",
      async () => {
        const { id } = await create();
        const first = (await agents.ask(id, "[[cost:0.25]][[reply:a]]")).body
          .costUsd;
        expect(first).toBeCloseTo(0.25, 9);
        await agents.close(id);
        expect(
          (await agents.ask(id, "[[cost:0.5]][[reply:b]]")).body.costUsd,
        ).toBeCloseTo(0.5, 9);
        expect((await agents.get(id)).usage.costUsd).toBeCloseTo(0.75, 9);
        const { body } = await agents.kernel.api.get<{
          items: { key: string; turns: number; usage: { costUsd: number } }[];
        }>("/api/usage", { by: "agent" });
        const row = body.items.find(({ key }) => key === id);
        expect(row?.turns).toBe(2);
        expect(row?.usage.costUsd).toBeCloseTo(0.75, 9);
      },
    );

    test("a failure of the model ends the turn as one", async () => {
      const { id } = await create();
      const failed = await agents.ask(id, "[[fail:quota exceeded]]");
      expect(failed).toMatchObject({
        status: 502,
        body: { code: "AGENT_TURN_FAILED" },
      });
      expect((failed.body as { detail?: string }).detail).toContain(
        "quota exceeded",
      );
      expect(await agents.get(id)).toMatchObject({
        state: "open",
        activity: "idle",
      });
      expect((await agents.ask(id, "[[reply:better]]")).body.answer).toBe(
        "better",
      );
    });

    describe(
      "is rough",
      { tags: thoroughUnless(subject.cli === "practice") },
      () => testRoughDriver(() => agents, subject),
    );
  });
}
