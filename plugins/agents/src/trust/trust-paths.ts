/**
 * What a folder can bring that makes a CLI run a program, load code, use a tool server, or send its key elsewhere:
 * files and folders relative to the working folder. One that begins with `^` counts in every folder above as well, as
 * far as the CLI looks there. Instructions (`AGENTS.md`, `CLAUDE.md`, rules, styles) are only read and do not count.
 *
 * Found by tracing the files that each CLI opens at its start: pi 0.74 and 0.87, Claude Code 2.1.197, Codex 0.169,
 * OpenCode 1.18 and Gemini CLI 0.61.
 */

/** pi: what it asks about before it loads it, and what it makes of older names for that. */
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

/** Claude Code: commands, skills and agents can name programs and hooks in their heads. */
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

/** Codex: settings with tool servers, hooks and rules, and skills, which bring programs. */
export const CODEX_TRUST_PATHS = ["^.codex", "^.agents/skills"];

/** OpenCode: it also imports plugins and installs packages in each `.opencode` that it finds. */
export const OPENCODE_TRUST_PATHS = [
  "^.opencode",
  "^opencode.json",
  "^opencode.jsonc",
  "^tui.json",
  "^tui.jsonc",
  "^.claude/skills",
  "^.agents/skills",
];

/** Gemini CLI: it takes variables from `.env`, the address of the model among them. */
export const GEMINI_TRUST_PATHS = [
  ".gemini",
  "^.gemini/.env",
  "^.env",
  ".agents",
];

/** Any agent that speaks the Agent Client Protocol: any of the above may be behind the command line, and others. */
export const ANY_TRUST_PATHS = [
  ...new Set([
    ...CLAUDE_TRUST_PATHS,
    ...CODEX_TRUST_PATHS,
    ...OPENCODE_TRUST_PATHS,
    ...GEMINI_TRUST_PATHS,
    ...PI_TRUST_PATHS,
    "^.qwen",
    "^.cursor",
    "^.kimi",
    "^.goose",
    "^.augment",
    "^.copilot",
    "^.crush.json",
    "^.acp",
    ".vscode/mcp.json",
    ".github/copilot",
    ".github/hooks",
    ".github/agents",
    ".github/skills",
  ]),
];
