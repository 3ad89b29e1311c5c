import type { CliConfig } from "../config.ts";
import {
  GEMINI_ASKS_FIRST,
  OPENCODE_ASKS_FIRST,
} from "../reading/asking-clis.ts";
import {
  GEMINI_TRUST_PATHS,
  OPENCODE_TRUST_PATHS,
} from "../trust/trust-paths.ts";

/** CLIs that are known without any configuration, in the order in which a default is looked for. */
export const BUILT_IN_CLIS: Readonly<Record<string, CliConfig>> = {
  pi: { driver: "pi", command: "pi", args: [], env: {} },
  claude: { driver: "claude", command: "claude", args: [], env: {} },
  codex: { driver: "codex", command: "codex", args: [], env: {} },
  opencode: {
    driver: "acp",
    command: "opencode",
    args: ["acp"],
    // An update in the middle of a conversation would replace the program under it.
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    cost: "usd",
    version: ["--version"],
    screen: { fresh: [], resume: ["--session", "{session}"] },
    login: ["auth", "login"],
    asksFirst: OPENCODE_ASKS_FIRST,
    trustPaths: OPENCODE_TRUST_PATHS,
  },
  gemini: {
    driver: "acp",
    command: "gemini",
    args: ["--acp"],
    env: {},
    version: ["--version"],
    // It says that it loads conversations, and mostly it has lost them.
    lacks: ["resume"],
    login: [],
    asksFirst: GEMINI_ASKS_FIRST,
    trustPaths: GEMINI_TRUST_PATHS,
  },
};
