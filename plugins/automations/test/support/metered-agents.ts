import { definePlugin } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { AgentDrivers, NO_CAPABILITIES } from "@gantry/agent-kit";
import type {
  AgentDriver,
  AgentSession,
  DriverListener,
} from "@gantry/agent-kit";

/** A session of a driver without a process, which the test plays. */
export interface MeteredSession {
  readonly id: string;
  /** Reports that this much more was spent. */
  spend(costUsd: number): Promise<void>;
  /** Asks for a permission to use a tool. Gives the option that was chosen. */
  ask(tool: string): Promise<string>;
  /** Ends the turn with an answer. */
  finish(answer?: string): Promise<void>;
  /** What is spent while the session is being closed, after its turn. */
  lastCostUsd: number | null;
}

/** Real agents whose CLI is played by the test. Configure the CLI `metered` with {@link settings}. */
export interface MeteredAgents {
  readonly plugin: PluginDefinition;
  readonly settings: object;
  /** The session whose turn began last. */
  prompted(): Promise<MeteredSession>;
}

const capabilities: AgentDriver["capabilities"] = {
  ...NO_CAPABILITIES,
  resume: true,
  cost: "usd",
};

/** Creates agents that spend what the test says. */
export function createMeteredAgents(): MeteredAgents {
  const prompted: MeteredSession[] = [];
  const waiting: ((session: MeteredSession) => void)[] = [];
  let count = 0;

  function openSession(listener: DriverListener): AgentSession {
    const { promise: ended, resolve } = withResolvers();
    const spend = async (costUsd: number) =>
      await listener({
        type: "usage",
        turn,
        usage: { inputTokens: 1, outputTokens: 1, costUsd },
        reportedCostUsd: null,
      });
    /** Id of the turn that runs, or ran last. */
    let turn = "";
    const asked = new Map<string, (optionId: string) => void>();
    const session: MeteredSession = {
      ask: (tool) =>
        new Promise((answered) => {
          const id = `question-${asked.size}`;
          asked.set(id, answered);
          void listener({
            type: "dialog-opened",
            turn,
            dialog: {
              ...{ id, kind: "permission", title: tool, body: "", tool },
              options: [
                { id: "yes", label: "Allow", kind: "allow-once" },
                { id: "no", label: "Reject", kind: "reject-once" },
              ],
              takesText: false,
            },
          });
        }),
      id: `metered-${Date.now()}-${++count}`,
      lastCostUsd: null,
      spend,
      finish: async (answer = "Done.") =>
        await listener({
          type: "turn-ended",
          turn,
          stopReason: "end",
          answer,
          error: null,
        }),
    };
    const end = async () => {
      if (session.lastCostUsd !== null) await spend(session.lastCostUsd);
      session.lastCostUsd = null;
      resolve({ reason: "exit", message: "It was stopped." });
    };
    return {
      sessionId: session.id,
      resumeKey: null,
      capabilities,
      version: "1.0.0",
      pid: null,
      ended,
      async prompt(input) {
        turn = input.turn;
        const next = waiting.shift();
        if (next) next(session);
        else prompted.push(session);
      },
      steer: () => Promise.reject(new Error("It cannot be steered.")),
      abort: async () => undefined,
      answer: async (id, answer) =>
        asked.get(id)?.(answer.kind === "option" ? answer.optionId : ""),
      end,
      kill: end,
    };
  }

  const driver: AgentDriver = {
    name: "metered",
    capabilities,
    trustPaths: [],
    open: async (_input, listener) => openSession(listener),
  };
  return {
    settings: {
      clis: { metered: { driver: "metered", command: process.execPath } },
    },
    plugin: definePlugin({
      id: "metered",
      api: 1,
      summary: "Brings a driver that the test plays",
      mounts: [],
      needs: { drivers: AgentDrivers },
      setup: (ctx) => ctx.needs.drivers.add({ driver: driver }, ctx.signal),
    }),
    prompted() {
      const session = prompted.shift();
      if (session) return Promise.resolve(session);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

type End = Awaited<AgentSession["ended"]>;

function withResolvers(): {
  promise: Promise<End>;
  resolve: (end: End) => void;
} {
  let resolve!: (end: End) => void;
  const promise = new Promise<End>((settle) => (resolve = settle));
  return { promise, resolve };
}
