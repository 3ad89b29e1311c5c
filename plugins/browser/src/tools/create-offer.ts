import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type {
  AgentMessages,
  ToolOffer,
  ToolServer,
} from "@gantry/plugin-agents/contract";
import type { AgentAccess } from "../fence/agent-access.ts";
import { KEY_VARIABLE, SOCKET_VARIABLE } from "../join/join-socket.ts";
import { CATALOGUE } from "./catalogue.ts";
import { FENCE_EXPLANATION } from "./page-fence.ts";
import type { SessionKeys } from "./session-keys.ts";

/** Name of the tool server in agent CLIs. */
export const TOOL_SERVER_NAME = "gantry";

const PROMPT = `The tools browser_… of the server "${TOOL_SERVER_NAME}" use a browser that the user sees. Try web pages and your own dev servers with them. ${FENCE_EXPLANATION} Do not work around what is refused.`;

/** Dependencies of {@link createOffer}. */
export interface OfferHost {
  access: Pick<AgentAccess, "rulesOf" | "setFolder">;
  keys: SessionKeys;
  /** Opens the socket when the first agent needs it; resolves with its path. */
  openSocket(): Promise<string>;
  messages(): AgentMessages | undefined;
}

/** Creates the offer of the browser to sessions of agents whose policy allows something. */
export function createOffer({
  access,
  keys,
  openSocket,
  messages,
}: OfferHost): ToolOffer {
  return {
    name: TOOL_SERVER_NAME,
    async admit({ agentId }, signal): Promise<ToolServer | null> {
      const { tier } = access.rulesOf(agentId);
      if (tier === "none") return null;
      const agent = await messages()?.describe({ agentId }, signal);
      if (!agent) return null;
      const folder = await realpath(agent.cwd).catch(() => undefined);
      if (folder !== undefined) access.setFolder(agentId, folder);
      return {
        name: TOOL_SERVER_NAME,
        ...joinProgram(),
        env: {
          [SOCKET_VARIABLE]: await openSocket(),
          [KEY_VARIABLE]: keys.issue(agentId, signal),
        },
        // All of them: those that a later policy adds are announced to the open session.
        tools: CATALOGUE.map((verb) => verb.name),
        prompt: PROMPT,
      };
    },
  };
}

/** The program that connects a CLI to the daemon: the built file beside this one, else the source. */
function joinProgram(): Pick<ToolServer, "command" | "args"> {
  const built = fileURLToPath(new URL("join.mjs", import.meta.url));
  const source = fileURLToPath(new URL("../join/main.ts", import.meta.url));
  return {
    command: process.execPath,
    args: [existsSync(built) ? built : source],
  };
}
