import type { AgentCli, AskingSettings } from "@gantry/agent-kit";

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

/** Reading needs no permission, commands do, and so does everything else: tools of servers, tools added later. */
const OPENCODE_RULES = {
  "*": "ask",
  read: "allow",
  glob: "allow",
  grep: "allow",
  list: "allow",
  todowrite: "allow",
  todoread: "allow",
  bash: "ask",
  // Refused at once, since a question that is answered with no ends its turn.
  edit: "deny",
  task: "deny",
  external_directory: "ask",
};

/**
 * OpenCode allows everything by default. The rules of an individual agent override the general ones, so they are set
 * for all agents that a turn can start with. Language servers run programs of the project as soon as a file is read.
 */
const OPENCODE_ASKS_FIRST: AskingSettings = {
  args: [],
  env: {
    OPENCODE_PERMISSION: JSON.stringify(OPENCODE_RULES),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      permission: OPENCODE_RULES,
      default_agent: "build",
      agent: {
        build: { permission: OPENCODE_RULES },
        plan: { permission: OPENCODE_RULES },
      },
      experimental: { continue_loop_on_deny: true },
      lsp: false,
      formatter: false,
    }),
  },
  files: {},
};

/** The installed OpenCode. */
export const OPENCODE: AgentCli = {
  name: "opencode",
  order: 40,
  driver: "acp",
  command: "opencode",
  args: ["acp"],
  // An update during a conversation would replace the running program.
  env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  cost: "usd",
  version: ["--version"],
  screen: { fresh: [], resume: ["--session", "{session}"] },
  login: ["auth", "login"],
  asksFirst: OPENCODE_ASKS_FIRST,
  trustPaths: OPENCODE_TRUST_PATHS,
};
