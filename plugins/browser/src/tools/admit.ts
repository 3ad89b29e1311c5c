import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type {
  AgentMessages,
  ToolOffer,
  ToolServer,
} from "@gantry/plugin-agents/contract";
import { KEY_VARIABLE, SOCKET_VARIABLE } from "../join/join-socket.ts";
import type { AgentRules } from "./agent-rules.ts";
import { verbsOf } from "./catalogue.ts";
import { FENCE_EXPLANATION } from "./page-fence.ts";
import type { SessionKeys } from "./session-keys.ts";

/** Name of the tool server in agent CLIs. */
export const TOOL_SERVER_NAME = "gantry";

/** Dependencies of {@link createOffer}. */
export interface AdmitHost {
  rules: AgentRules;
  keys: SessionKeys;
  /** Path of the socket, opened when the first agent needs it. */
  openSocket(): Promise<string>;
  messages(): AgentMessages | undefined;
}

/** Creates the function that offers the browser to sessions of agents whose policy allows it. */
export function createOffer(host: AdmitHost): ToolOffer {
  return {
    name: TOOL_SERVER_NAME,
    async admit({ agentId }, signal): Promise<ToolServer | null> {
      const { tier } = host.rules.rulesOf(agentId);
      if (tier === "none") return null;
      const agent = await host.messages()?.describe({ agentId }, signal);
      if (!agent) return null;
      const folder = await realpath(agent.cwd).catch(() => undefined);
      if (folder !== undefined) host.rules.setFolder(agentId, folder);
      const path = await host.openSocket();
      return {
        name: TOOL_SERVER_NAME,
        ...joinProgram(),
        env: {
          [SOCKET_VARIABLE]: path,
          [KEY_VARIABLE]: host.keys.issue(agentId, signal),
        },
        tools: verbsOf(tier).map((verb) => verb.name),
        prompt: PROMPT,
      };
    },
  };
}

const PROMPT = `The tools browser_… of the server "${TOOL_SERVER_NAME}" use a browser that the user sees. Try web pages and your own dev servers with them. ${FENCE_EXPLANATION} What is refused, leave; the user may have been asked.`;

/** The program that connects a CLI to the daemon: the built file beside this one, else the source. */
function joinProgram(): Pick<ToolServer, "command" | "args"> {
  const built = fileURLToPath(new URL("join.mjs", import.meta.url));
  const source = fileURLToPath(new URL("../join/main.ts", import.meta.url));
  return {
    command: process.execPath,
    args: [existsSync(built) ? built : source],
  };
}
