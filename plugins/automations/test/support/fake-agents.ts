import { GantryError } from "@gantry/plugin";
import type {
  AgentRunInput,
  AgentRunOutcome,
  AgentRuns,
  AutomationAgentInput,
  AutomationAgentUpdate,
} from "@gantry/plugin-agents/contract";

/** A run that the daemon asked for. */
export interface FakeRun {
  readonly input: AgentRunInput;
  readonly signal: AbortSignal;
  /** Ends it; what is left out is an answer without cost. */
  finish(outcome?: Partial<AgentRunOutcome>): void;
  /** Makes it throw. */
  crash(error: Error): void;
}

/** A stand-in for the agents, which the test plays. */
export interface FakeAgents {
  readonly service: AgentRuns;
  readonly made: (AutomationAgentInput & { agentId: string })[];
  readonly updates: AutomationAgentUpdate[];
  readonly runs: FakeRun[];
  /** What is said of every agent that is not in `gone`. */
  facts: {
    cliInstalled: boolean;
    busy: boolean;
    inTerminal: boolean;
    reportsCost: boolean;
  };
  readonly gone: Set<string>;
  /** How each run ends by itself; while `undefined`, a run lasts until the test ends it. */
  answer: ((input: AgentRunInput) => Partial<AgentRunOutcome>) | undefined;
  /** Whether runs cannot be ended: they ignore an abort. */
  deaf: boolean;
  /** What making or changing an agent throws. */
  refusal: Error | undefined;
  /** The run with a number, from 0. Waits for it. */
  started(index: number): Promise<FakeRun>;
}

const answered: AgentRunOutcome = {
  failure: null,
  message: "All is well.",
  sessionId: "session-1",
  usage: { inputTokens: 10, outputTokens: 5, costUsd: null },
  permissionsAsked: [],
  permissionsRefused: [],
};

export function createFakeAgents(): FakeAgents {
  const waiting: { index: number; arrive: (run: FakeRun) => void }[] = [];
  let count = 0;
  const fake: FakeAgents = {
    made: [],
    updates: [],
    runs: [],
    gone: new Set(),
    facts: {
      cliInstalled: true,
      busy: false,
      inTerminal: false,
      reportsCost: true,
    },
    answer: undefined,
    deaf: false,
    refusal: undefined,
    started(index) {
      const run = fake.runs[index];
      if (run) return Promise.resolve(run);
      return new Promise((arrive) => waiting.push({ index, arrive }));
    },
    service: {
      async createAgent(input) {
        if (fake.refusal) throw fake.refusal;
        const agentId = `agt_${String(++count).padStart(24, "a")}`;
        fake.made.push({ ...input, agentId });
        return { agentId };
      },
      async updateAgent(input) {
        if (fake.refusal) throw fake.refusal;
        fake.updates.push(input);
      },
      async removeAgents({ automationId }) {
        for (const agent of fake.made)
          if (agent.automationId === automationId) fake.gone.add(agent.agentId);
      },
      inspect: async ({ agentId }) => ({
        exists: !fake.gone.has(agentId),
        ...fake.facts,
      }),
      recall: async () => null,
      run: (input, signal) =>
        new Promise((resolve, crash) => {
          const finish = (outcome: Partial<AgentRunOutcome> = {}) =>
            resolve({ ...answered, ...outcome });
          const cancel = () => finish({ failure: "cancelled", message: "" });
          if (signal.aborted) return cancel();
          if (!fake.deaf) signal.addEventListener("abort", cancel);
          const index = fake.runs.push({ input, signal, finish, crash }) - 1;
          if (fake.answer) finish(fake.answer(input));
          for (const awaited of waiting)
            if (awaited.index === index) awaited.arrive(fake.runs[index]!);
        }),
    },
  };
  return fake;
}

/** What the agents refuse, as a client sees it. */
export function refusal(code: string, path?: string): Error {
  const row = { status: 400, title: "No", detail: "" };
  const errors = path === undefined ? undefined : [{ path, message: "no" }];
  return new GantryError(code, row, "No.", { errors });
}
