import { defineErrors } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { TerminalPanes } from "@gantry/plugin-terminals/contract";
import type { TerminalPane } from "@gantry/plugin-terminals/contract";

type Prompt = Parameters<AgentMessages["prompt"]>[0];
type Pasted = Parameters<TerminalPanes["run"]>[0] & { as: "prompt" | "run" };

export const agentId = `agt_${"a".repeat(24)}`;
export const shellId = `trm_${"s".repeat(24)}`;
export const cliId = `trm_${"c".repeat(24)}`;

export const toAgent = { type: "agent", id: agentId };
export const toShell = { type: "terminal", id: shellId };
export const toCli = { type: "terminal", id: cliId };

/** What the plugins behind targets answer with. */
export const targetErrors = defineErrors({
  AGENT_NOT_FOUND: {
    status: 404,
    title: "No such agent",
    detail: "There is no agent {id}.",
  },
  TERMINAL_BUSY: {
    status: 409,
    title: "Busy",
    detail: "The terminal is busy.",
  },
});

/** Stand-ins for the plugins behind targets, which write down what they are sent. */
export interface FakeTargets {
  agents: PluginDefinition;
  terminals: PluginDefinition;
  prompts: Prompt[];
  pasted: Pasted[];
  /** The terminals, which a test changes as time does. */
  shell: TerminalPane;
  cli: TerminalPane;
  /** The folder that agent and terminals are in. */
  cwd: string;
  /** What the next call rejects with. */
  refuse?: Error;
}

export function createTargets(cwd = "/work/sample"): FakeTargets {
  const refused = () => {
    const error = fake.refuse;
    fake.refuse = undefined;
    if (error) throw error;
  };
  const paste = (as: Pasted["as"]) =>
    async function (input: Omit<Pasted, "as">) {
      refused();
      fake.pasted.push({ ...input, as });
    };
  const pane = (fields: Partial<TerminalPane>): TerminalPane => ({
    id: shellId,
    name: "Build",
    kind: "shell",
    cwd,
    cli: null,
    agent: null,
    atPrompt: true,
    incarnation: "first",
    ...fields,
  });
  const fake: FakeTargets = {
    cwd,
    prompts: [],
    pasted: [],
    shell: pane({}),
    cli: pane({ id: cliId, name: "Claude", kind: "cli", cli: "claude" }),
    agents: provideFake(AgentMessages, {
      async prompt(input) {
        refused();
        fake.prompts.push(input);
        return { taskId: `tsk_${fake.prompts.length}`, delivery: "sent" };
      },
      continueTurn: () => Promise.reject(new Error("Nothing is cut off.")),
      async answerDialog() {},
      async describe({ agentId: id }) {
        return id === agentId
          ? { id, name: "Ada", cwd: fake.cwd, cli: "practice", state: "open" }
          : null;
      },
    }),
    terminals: provideFake(TerminalPanes, {
      async list() {
        return { items: [fake.shell, fake.cli] };
      },
      async describe({ id }) {
        return [fake.shell, fake.cli].find((one) => one.id === id) ?? null;
      },
      prompt: paste("prompt"),
      run: paste("run"),
    }),
  };
  return fake;
}
