import type { CliConfig } from "../config.ts";

type AsksFirst = NonNullable<CliConfig["asksFirst"]>;

/** Reading asks for nothing, commands ask, and whatever else there is asks too: tools of servers, later tools. */
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
 * OpenCode allows everything by default. The rules of an agent of its own go over the general ones, so that they are
 * given for those that a turn can begin with. Language servers run programs of the project as soon as a file is read.
 */
export const OPENCODE_ASKS_FIRST: AsksFirst = {
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

const GEMINI_FILE = "report-only.toml";

/** Gemini CLI: rules of an administrator go over those of the user, of the project and of extensions. */
export const GEMINI_ASKS_FIRST: AsksFirst = {
  args: [
    "--approval-mode",
    "default",
    "--admin-policy",
    `{folder}/${GEMINI_FILE}`,
    // Servers of the user are programs, and a user can trust one permanently: none of them has this name.
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
