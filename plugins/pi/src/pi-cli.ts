import type { AgentCli } from "@gantry/agent-kit";

/** Paths for which pi asks whether to load them, including their older names. */
export const PI_TRUST_PATHS = [
  ".pi/settings.json",
  ".pi/extensions",
  ".pi/hooks",
  ".pi/tools",
  ".pi/skills",
  ".pi/prompts",
  ".pi/commands",
  ".pi/themes",
  ".pi/SYSTEM.md",
  ".pi/APPEND_SYSTEM.md",
  // Packages that it installs for a project.
  ".pi/npm",
  ".pi/git",
  "^.agents/skills",
];

/** The installed pi. */
export const PI: AgentCli = {
  name: "pi",
  order: 10,
  driver: "pi",
  command: "pi",
  args: [],
  env: {},
};
