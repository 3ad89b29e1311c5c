import type { PluginDefinition } from "@gantry/plugin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionEnd } from "../src/agent-session.ts";
import { NO_CAPABILITIES } from "../src/capabilities.ts";
import type { DriverEvent } from "../src/driver-events.ts";
import type { AgentDriver } from "../src/driver.ts";
import type { CliCommand, OpenSession } from "../src/open-session.ts";
import { DriverBench, type BenchSession } from "../testing/driver-bench.ts";
import { isRunning, until } from "../testing/wait.ts";

/** Prompts that make the CLI behind a driver perform an action. Defaults to the markers of the stand-ins. */
export interface DriverPrompts {
  /** The CLI answers with this text and does nothing else. */
  reply(text: string): string;
  /** The CLI writes text for minutes unless it is stopped. */
  talk: string;
  /** The CLI answers with what it knows of the conversation, including the user's messages. */
  recall: string;
  /** The CLI asks for a permission, and answers `text` once it is granted. */
  ask(title: string, text: string): string;
}

/** A driver under test. */
export interface DriverSubject {
  name: string;
  /** Plugins on the bench, whose CLIs {@link DriverBench.driverOf} returns. */
  plugins?: readonly PluginDefinition[];
  prepare: (
    bench: DriverBench,
  ) => Promise<{ driver: AgentDriver; command: Partial<CliCommand> }>;
  prompts?: Partial<DriverPrompts>;
  /** Sessions have no process of their own, for example because a program is started for each prompt. */
  hasNoProcess?: boolean;
}

const MARKERS: DriverPrompts = {
  reply: (text) => `[[reply:${text}]]`,
  talk: "[[long:100000:5]]",
  recall: "[[recall]]",
  ask: (title, text) => `[[ask:${title}]][[reply:${text}]]`,
};

const NEVER = new AbortController().signal;
const TURN_EVENTS: ReadonlySet<DriverEvent["type"]> = new Set([
  "turn-started",
  "turn-ended",
  "delta",
  "message",
  "tool-started",
  "tool-progress",
  "tool-output",
  "tool-ended",
]);

/** Tests of the contract in `driver.ts`, for every driver and CLI. */
export function testDriver(subject: DriverSubject): void {
  describe(`${subject.name}: driver`, () => {
    const prompts = { ...MARKERS, ...subject.prompts };
    let bench: DriverBench;
    let driver: AgentDriver;
    let command: Partial<CliCommand>;

    beforeAll(async () => {
      bench = await DriverBench.start(subject.plugins);
      ({ driver, command } = await subject.prepare(bench));
    });
    afterAll(() => bench.stop());

    const open = async (more: Partial<OpenSession> = {}) =>
      await bench.open(driver, await bench.input(command, more));

    /** Starts a turn that continues until it is stopped. */
    const talk = async (session: BenchSession, turn: string) => {
      await session.session.prompt(
        { text: prompts.talk, images: [], turn },
        NEVER,
      );
      await until(
        () => session.events.some((event) => "turn" in event),
        "it works",
      );
    };

    test("it says what it is and what it can do", () => {
      expect(driver.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(Object.keys(driver.capabilities).sort()).toEqual(
        Object.keys(NO_CAPABILITIES).sort(),
      );
      for (const path of driver.trustPaths) {
        expect(path).not.toMatch(/^\^?\//);
        expect(path.split("/")).not.toContain("..");
      }
    });

    test("each turn answers, and its events carry its id", async () => {
      const session = await open();
      for (const turn of ["trn_one", "trn_two"]) {
        await session.session.prompt(
          { text: prompts.reply(turn), images: [], turn },
          NEVER,
        );
        const end = await until(
          () => session.of("turn-ended").find((event) => event.turn === turn),
          `the turn ${turn} has ended`,
        );
        expect(end).toMatchObject({ stopReason: "end", error: null });
        expect(end.answer).toContain(turn);
      }
      const ofTurns = session.events.filter(({ type }) =>
        TURN_EVENTS.has(type),
      ) as { turn: string; type: string }[];
      const firstOfSecond = ofTurns.findIndex(({ turn }) => turn === "trn_two");
      const endOfFirst = ofTurns.findIndex(({ type }) => type === "turn-ended");
      expect(endOfFirst).toBeLessThan(firstOfSecond);
      expect(new Set(ofTurns.map(({ turn }) => turn))).toEqual(
        new Set(["trn_one", "trn_two"]),
      );
      await session.session.end();
    });

    test("reported spending is finite, and of the declared kind", async () => {
      const session = await open();
      await session.turn(prompts.reply("paid"));
      await session.session.end();
      const { cost } = session.session.capabilities;
      for (const { usage } of session.of("usage")) {
        for (const amount of Object.values(usage) as (number | null)[])
          expect(amount ?? 0).toBeGreaterThanOrEqual(0);
        if (cost !== "usd") expect(usage.costUsd).toBeNull();
      }
    });

    test("an abort ends the turn, and the next one begins", async () => {
      const session = await open();
      await talk(session, "trn_long");
      await session.session.abort(NEVER);
      const end = await until(
        () => session.of("turn-ended")[0],
        "the turn has ended",
      );
      expect(end).toMatchObject({ turn: "trn_long", stopReason: "cancelled" });
      const { answer } = await session.turn(prompts.reply("still here"));
      expect(answer).toContain("still here");
      await session.session.end();
    });

    test("a message joins the running turn, or is refused", async () => {
      const session = await open();
      await talk(session, "trn_long");
      const message = { text: prompts.reply("steered"), images: [] };
      const stop = new AbortController();
      const canSteer = session.session.capabilities.steer;
      if (canSteer) expect(session.session.steer).toBeDefined();
      const steered = session.session.steer?.(message, stop.signal);
      if (!canSteer && steered) await expect(steered).rejects.toThrow();
      // Some CLIs accept the message only when the turn reaches it.
      else steered?.catch(() => undefined);
      stop.abort(new Error("The test has seen enough."));
      await session.session.kill();
      await session.session.ended;
    });

    test("a prompt that is aborted before it was written is not sent", async () => {
      const session = await open();
      const text = prompts.reply("withdrawn");
      const withdrawn = AbortSignal.abort(new Error("Withdrawn."));
      await expect(
        session.session.prompt({ text, images: [], turn: "trn_x" }, withdrawn),
      ).rejects.toThrow();
      await session.session.kill();
    });

    test("a permission is asked for, and the answer counts", async (context) => {
      context.skip(!driver.capabilities.permissions);
      const session = await open();
      const turn = session.turn(prompts.ask("git push", "pushed"));
      const { dialog } = await until(
        () => session.of("dialog-opened")[0],
        "it asks",
      );
      expect(dialog.kind).toBe("permission");
      const allow = dialog.options.find(({ kind }) => kind === "allow-once");
      expect(allow).toBeDefined();
      const answer = { kind: "option", optionId: allow?.id ?? "" } as const;
      await session.session.answer(dialog.id, answer, NEVER);
      expect((await turn).answer).toContain("pushed");
      await session.session.end();
    });

    test("it resumes a conversation in a new process", async (context) => {
      context.skip(!driver.capabilities.resume);
      const input = await bench.input(command);
      const first = await bench.open(driver, input);
      await first.turn(prompts.reply("my name is Ada"));
      await first.session.end();
      const resume = first.resumePoint();
      const again = await bench.open(driver, { ...input, resume });
      expect(again.session.sessionId).toBe(first.session.sessionId);
      const { answer } = await again.turn(prompts.recall);
      expect(answer).toContain("my name is Ada");
      await again.session.end();
    });

    test.each(["end", "kill"] as const)(
      "%s ends its process, also in a turn, and twice does no harm",
      async (how) => {
        const session = await open();
        await talk(session, "trn_long");
        const { pid } = session.session;
        expect(pid === null).toBe(subject.hasNoProcess === true);
        await Promise.all([session.session[how](), session.session[how]()]);
        const end: SessionEnd = await session.session.ended;
        expect(end.message).not.toBe("");
        if (pid !== null) expect(await isRunning(pid)).toBe(false);
        const late = { text: prompts.reply("late"), images: [], turn: "trn_x" };
        await expect(session.session.prompt(late, NEVER)).rejects.toThrow();
      },
    );

    test("a missing program opens no session", async (context) => {
      context.skip(subject.hasNoProcess === true);
      const file = "/nonexistent/program";
      const input = await bench.input({ ...command, file });
      await expect(bench.open(driver, input)).rejects.toThrow();
    });

    test("an aborted start starts nothing", async (context) => {
      context.skip(subject.hasNoProcess === true);
      const input = await bench.input(command);
      const given = AbortSignal.abort(new Error("Given up."));
      await expect(
        driver.open(input, () => undefined, given),
      ).rejects.toThrow();
    });
  });
}
