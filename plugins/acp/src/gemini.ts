import type { AgentCli, AskingSettings } from "@gantry/agent-kit";

/** Gemini CLI: it reads variables from `.env`, including the address of the model. */
export const GEMINI_TRUST_PATHS = [
  ".gemini",
  "^.gemini/.env",
  "^.env",
  ".agents",
];

const GEMINI_FILE = "report-only.toml";

/** Gemini CLI: an administrator's rules override those of the user, the project and extensions. */
const GEMINI_ASKS_FIRST: AskingSettings = {
  args: [
    "--approval-mode",
    "default",
    "--admin-policy",
    `{folder}/${GEMINI_FILE}`,
    // The user's tool servers are programs, and a user can trust one permanently; so only servers of this name are
    // allowed, and there is none.
    "--allowed-mcp-server-names",
    "gantry-allows-none",
  ],
  env: {},
  files: {
    [GEMINI_FILE]: `
[[rule]]
toolName = "*"
decision = "ask_user"
priority = 100

[[rule]]
toolName = ["glob", "grep_search", "list_directory", "read_file", "read_many_files"]
decision = "allow"
priority = 200

[[rule]]
toolName = ["replace", "write_file", "save_memory"]
decision = "deny"
priority = 300
`,
  },
};

/** The installed Gemini CLI. */
export const GEMINI: AgentCli = {
  name: "gemini",
  order: 50,
  driver: "acp",
  command: "gemini",
  args: ["--acp"],
  env: {},
  version: ["--version"],
  // It reports support for loading conversations, but has mostly lost them.
  lacks: ["resume"],
  login: [],
  asksFirst: GEMINI_ASKS_FIRST,
  trustPaths: GEMINI_TRUST_PATHS,
};
