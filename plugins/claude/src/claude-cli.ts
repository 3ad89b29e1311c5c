import type { AgentCli } from "@gantry/agent-kit";

/** Claude Code: the front matter of commands, skills and agents can name programs and hooks. */
export const CLAUDE_TRUST_PATHS = [
  "^.claude/settings.json",
  "^.claude/settings.local.json",
  "^.claude/hooks",
  "^.claude/commands",
  "^.claude/skills",
  "^.claude/agents",
  "^.claude/plugins",
  "^.claude/workflows",
  "^.claude/routines",
  "^.claude/scheduled_tasks.json",
  "^.claude/launch.json",
  "^.mcp.json",
];

/** The installed Claude Code. */
export const CLAUDE: AgentCli = {
  name: "claude",
  order: 20,
  driver: "claude",
  command: "claude",
  args: [],
  env: {},
};
