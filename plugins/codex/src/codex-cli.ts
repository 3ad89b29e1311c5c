import type { AgentCli } from "@gantry/agent-kit";

/** Codex: settings with tool servers, hooks and rules, and skills, which contain programs. */
export const CODEX_TRUST_PATHS = ["^.codex", "^.agents/skills"];

/** The installed Codex. */
export const CODEX: AgentCli = {
  name: "codex",
  order: 30,
  driver: "codex",
  command: "codex",
  args: [],
  env: {},
};
