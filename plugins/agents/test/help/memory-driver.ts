import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import {
  AgentDrivers,
  NO_CAPABILITIES,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  type OpenScreen,
  type OpenSession,
} from "@gantry/agent-kit";
import type { Clis } from "./agents-kernel.ts";

const capabilities: AgentDriver["capabilities"] = {
  ...NO_CAPABILITIES,
  resume: true,
  compact: true,
  commands: true,
  fork: true,
  clone: true,
  steer: true,
  nativeExport: true,
  terminal: true,
  login: true,
};

/** A driver without processes whose sessions are lists of prompts. It answers with the prompts of the session. */
export class MemoryDriver {
  /** The prompts of each session, by its id. */
  readonly sessions = new Map<string, string[]>();
  /** What each screen was opened with, in order. */
  readonly screens: OpenScreen[] = [];
  /** Callbacks that answer the pending prompts that begin with "hold". */
  readonly holding: (() => void)[] = [];
  /** Callbacks that end the pending compactions. */
  readonly compacting: (() => void)[] = [];
  readonly clis: Clis = {
    memory: { driver: "memory", command: process.execPath },
  };

  readonly plugin = definePlugin({
    id: "memory",
    api: 1,
    summary: "Brings a driver",
    mounts: [],
    needs: { drivers: AgentDrivers },
    setup: (ctx) => ctx.needs.drivers.add({ driver: this.#driver }, ctx.signal),
  });

  readonly #driver: AgentDriver = {
    name: "memory",
    capabilities,
    trustPaths: [],
    open: async (input, listener) => await this.#open(input, listener),
    screen: async (input) => {
      this.screens.push(input);
      const sessionId =
        input.resume?.sessionId ?? `session-${this.sessions.size + 1}`;
      this.sessions.set(sessionId, this.sessions.get(sessionId) ?? []);
      return {
        file: process.execPath,
        args: ["--screen", sessionId],
        env: { RECEIVER: input.receiver.url },
        session: { sessionId, resumeKey: null },
        hasReceiver: true,
      };
    },
    login: ({ file }) => ({ file, args: ["--login"], env: {} }),
    nativeRecord: async ({ sessionId, cwd }) => {
      const told = this.sessions.get(sessionId);
      if (!told?.length) return null;
      const path = join(cwd, "record.jsonl");
      await writeFile(path, told.map((text) => `${text}\n`).join(""));
      return path;
    },
  };

  async #open(
    { resume }: OpenSession,
    listener: DriverListener,
  ): Promise<AgentSession> {
    const isKnown = resume !== null && this.sessions.has(resume.sessionId);
    const sessionId =
      isKnown && !resume.fork
        ? resume.sessionId
        : `session-${this.sessions.size + 1}`;
    const earlier = this.sessions.get(resume?.sessionId ?? "") ?? [];
    const kept = resume?.fork?.keepPrompts ?? earlier.length;
    const told = resume?.fork
      ? earlier.slice(0, kept)
      : (this.sessions.get(sessionId) ?? []);
    this.sessions.set(sessionId, told);
    await listener({
      type: "commands",
      commands: [
        { name: "tidy", description: "Tidies up", source: "cli" },
        { name: "review", description: "A skill", source: "skill" },
      ],
    });
    await listener({ type: "model", model: "memory-1" });
    let gone = () => undefined as void;
    const ended: AgentSession["ended"] = new Promise((resolve) => {
      gone = () => resolve({ reason: "exit", message: "It was closed." });
    });
    const end = async () => gone();
    return {
      sessionId,
      resumeKey: null,
      capabilities,
      version: "1.0.0",
      pid: null,
      ended,
      prompt: async ({ text, turn }) => {
        told.push(text);
        void this.#answer(told, turn, listener);
      },
      steer: () => Promise.reject(new Error("It cannot be steered.")),
      abort: async () => undefined,
      answer: async () => undefined,
      compact: async (signal) => {
        await new Promise<void>((resolve, reject) => {
          this.compacting.push(resolve);
          signal.addEventListener("abort", () =>
            reject(signal.reason as Error),
          );
        });
        if (told.at(-1) === "break") throw new Error("It broke.");
        return {
          compacted: told.length > 0,
          tokensBefore: told.length * 100,
          tokensAfter: told.length,
        };
      },
      end,
      kill: end,
    };
  }

  async #answer(
    told: readonly string[],
    turn: string,
    listener: DriverListener,
  ): Promise<void> {
    if (told.at(-1)?.startsWith("hold"))
      await new Promise<void>((resolve) => this.holding.push(resolve));
    const answer = told.join(" | ");
    const [, plan] = /^plan (.*)/.exec(told.at(-1) ?? "") ?? [];
    if (plan) {
      const items = plan
        .split(",")
        .map((text) => ({ text, status: "pending" as const }));
      await listener({ type: "plan", turn, items });
    }
    await listener({
      type: "message",
      turn,
      channel: "text",
      text: answer,
    });
    await listener({
      type: "turn-ended",
      turn,
      stopReason: "end",
      answer,
      error: null,
    });
  }
}
