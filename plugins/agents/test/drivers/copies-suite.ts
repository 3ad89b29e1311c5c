import { access } from "node:fs/promises";
import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentDriver, CliCommand } from "../../src/driver.ts";
import { DriverBench } from "../help/driver-bench.ts";
import { until } from "../help/wait.ts";

/** A driver whose conversations are copied and shrunk. */
export interface CopySubject {
  name: string;
  prepare: (
    bench: DriverBench,
  ) => Promise<{ driver: AgentDriver; command: Partial<CliCommand> }>;
  /** What makes a turn cost so much, where the driver knows of money. */
  spend?: (usd: number) => string;
  /** A slash command that it lists. */
  listed: string | null;
  forks: boolean;
  clones: boolean;
  compacts: boolean;
  /** What is known after it was shrunk, if it keeps the user's words and drops the rest. */
  knownWhenShrunk?: RegExp;
  /** Goes before each prompt of the conversation that is shrunk: some keep what is small. */
  ballast?: string;
}

const NEVER = new AbortController().signal;

/** What every driver that copies and shrinks conversations must do. */
export function testCopies(subject: CopySubject): void {
  describe(`${subject.name}: copies`, () => {
    let bench: DriverBench;
    let driver: AgentDriver;
    let command: Partial<CliCommand>;

    beforeAll(async () => {
      bench = await DriverBench.start();
      ({ driver, command } = await subject.prepare(bench));
    });
    afterAll(() => bench.stop());

    const spend = subject.spend ?? (() => "");

    const begin = async (ballast = "") => {
      const input = await bench.input(command);
      const original = await bench.open(driver, input);
      for (const word of ["one", "two", "three"])
        await original.turn(`${word} ${ballast}${spend(0.3)}[[reply:${word}]]`);
      return { input, original };
    };

    (subject.clones ? test : test.skip)(
      "a copy knows all, and the original nothing of what follows",
      async () => {
        const { input, original } = await begin();
        await original.session.end();
        const resume = original.resumePoint({ keepPrompts: null });
        const copy = await bench.open(driver, { ...input, resume });
        expect(copy.session.sessionId).not.toBe(original.session.sessionId);
        const { answer } = await copy.turn(`again ${spend(0.15)}[[recall]]`);
        for (const word of ["one", "two", "three"])
          expect(answer).toContain(`${word} `);
        // What the copied turns cost is not paid again.
        const spent = copy.of("usage").map(({ usage }) => usage.costUsd ?? 0);
        if (subject.spend)
          expect(spent.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(
            0.15,
            6,
          );
        await copy.session.end();
        const again = await bench.open(driver, {
          ...input,
          resume: original.resumePoint(),
        });
        expect(again.session.sessionId).toBe(original.session.sessionId);
        expect((await again.turn("[[recall]]")).answer).not.toContain("again ");
        await again.session.end();
      },
    );

    (subject.clones ? test : test.skip)("a copy can be continued", async () => {
      const { input, original } = await begin();
      await original.session.end();
      const resume = original.resumePoint({ keepPrompts: null });
      const copy = await bench.open(driver, { ...input, resume });
      await copy.turn("four [[reply:four]]");
      await copy.session.end();
      const again = await bench.open(driver, {
        ...input,
        resume: copy.resumePoint(),
      });
      expect(again.session.sessionId).toBe(copy.session.sessionId);
      const { answer } = await again.turn("[[recall]]");
      expect(answer).toContain("one ");
      expect(answer).toContain("four ");
      await again.session.end();
    });

    (subject.forks ? test : test.skip).each(cases([2, 0, 1, 3]))(
      "a copy of the first %i messages knows these and no more",
      async (keepPrompts) => {
        const { input, original } = await begin();
        await original.session.end();
        const resume = original.resumePoint({ keepPrompts });
        const copy = await bench.open(driver, { ...input, resume });
        expect(copy.session.sessionId).not.toBe(original.session.sessionId);
        const { answer } = await copy.turn("[[recall]]");
        const known = ["one", "two", "three"].filter((word) =>
          answer.includes(`${word} `),
        );
        expect(known).toEqual(["one", "two", "three"].slice(0, keepPrompts));
        await copy.session.end();
      },
    );

    (!subject.forks && subject.clones ? test : test.skip)(
      "a part of a conversation cannot be copied, and it is named",
      async () => {
        const { input, original } = await begin();
        await original.session.end();
        const resume = original.resumePoint({ keepPrompts: 1 });
        await expect(
          bench.open(driver, { ...input, resume }),
        ).rejects.toMatchObject({ code: "AGENT_UNSUPPORTED" });
      },
    );

    (subject.compacts ? test : test.skip)(
      "a conversation is compacted, and continues",
      async () => {
        const { original } = await begin(subject.ballast);
        const outcome = await original.session.compact?.(NEVER);
        expect(outcome).toMatchObject({ compacted: true });
        const before = original.of("turn-ended").length;
        const { answer, stopReason } = await original.turn("[[recall]]");
        expect(stopReason).toBe("end");
        if (subject.knownWhenShrunk)
          expect(answer).toMatch(subject.knownWhenShrunk);
        else expect(answer).not.toContain("one ");
        expect(original.of("turn-ended")).toHaveLength(before + 1);
        await original.session.end();
      },
    );

    (subject.listed !== null ? test : test.skip)(
      "it says which commands it takes",
      async () => {
        const input = await bench.input(command);
        const { session, events } = await bench.open(driver, input);
        const told = await until(
          () => events.findLast(({ type }) => type === "commands"),
          "commands are told",
        );
        expect(told).toMatchObject({
          commands: expect.arrayContaining([
            expect.objectContaining({ name: subject.listed }),
          ]) as unknown,
        });
        expect(session.capabilities.commands).toBe(true);
        await session.end();
      },
    );

    test("it keeps its word on records, screens and logins", async () => {
      const input = await bench.input(command);
      const { cwd } = input;
      const { capabilities } = driver;
      expect(driver.nativeRecord !== undefined).toBe(capabilities.nativeExport);
      expect(driver.screen !== undefined).toBe(capabilities.terminal);
      expect(driver.login !== undefined).toBe(capabilities.login);
      if (!driver.nativeRecord) return;
      const { session, turn } = await bench
        .open(driver, input)
        .then((open) => ({
          session: open.session,
          turn: open.turn.bind(open),
        }));
      await turn("remember [[reply:kept]]");
      const { sessionId, resumeKey } = session;
      // Some write it down a while after the turn.
      const file = await until(
        () =>
          driver.nativeRecord?.({
            sessionId,
            resumeKey,
            command: input.command,
            cwd,
          }) as Promise<string | undefined>,
        "there is a record",
      );
      expect(file).toMatch(/^\//);
      await access(file ?? "");
      expect(
        await driver.nativeRecord({
          sessionId: "00000000-0000-4000-8000-000000000000",
          resumeKey: null,
          command: input.command,
          cwd,
        }),
      ).toBeNull();
      await session.end();
    });
  });
}
