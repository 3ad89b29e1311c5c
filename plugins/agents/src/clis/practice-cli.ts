import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { CliConfig } from "../config.ts";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
} from "../driver.ts";
import { holdsPrompt, type RecordedMessage } from "../drivers/holds-prompt.ts";
import { createConversationId } from "../practice/conversations.ts";
import {
  toolEnvironment,
  writePrivateFile,
} from "../tool-servers/tool-environment.ts";

export const PRACTICE = "practice";

/** What it can do; no need to start it to know. */
export const PRACTICE_CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  resume: true,
  images: true,
  permissions: true,
  asksFirst: true,
  compact: true,
  commands: true,
  fork: true,
  clone: true,
  terminal: true,
  login: true,
  nativeExport: true,
  tools: true,
  cost: "usd",
};

/** How the practice agent is started: a program of our own, beside this file when it is built. */
export function practiceConfig(folder: string): CliConfig {
  const built = fileURLToPath(new URL("practice.mjs", import.meta.url));
  const source = fileURLToPath(new URL("../practice/main.ts", import.meta.url));
  return {
    driver: "acp",
    command: process.execPath,
    args: [
      // The contract that it imports comes from its source as well.
      ...(existsSync(built) ? [built] : ["--conditions=gantry-source", source]),
      "--sessions",
      conversationsFolder(folder),
    ],
    env: {},
    cost: "usd",
  };
}

/** Tells the practice agent which agent of the daemon its conversations belong to. */
const AGENT_ID = "GANTRY_AGENT_ID";

/** The driver of the practice agent: that of the protocol, and what it cannot know. */
export function toPracticeDriver(
  driver: AgentDriver,
  parts: Partial<AgentDriver>,
): AgentDriver {
  return {
    ...driver,
    ...parts,
    async open(input, listener, signal) {
      const { command, agentId } = input;
      const env = { ...command.env, [AGENT_ID]: agentId };
      const owned = { ...input, command: { ...command, env } };
      return await driver.open(owned, listener, signal);
    },
  };
}

/** What the protocol's driver cannot know of the practice agent: its screen, its login, its file of a conversation. */
export function practiceParts(
  folder: string,
): Required<
  Pick<AgentDriver, "screen" | "login" | "nativeRecord" | "holdsPrompt">
> {
  const fileOf = (sessionId: string) =>
    join(conversationsFolder(folder), `${sessionId}.jsonl`);
  return {
    async screen({ agentId, command, resume, receiver, folder: own, tools }) {
      const sessionId = resume?.sessionId ?? createConversationId();
      // As a file: the arguments of a process are seen by every user of the machine.
      const file = await writePrivateFile(
        ...([own, "receiver.json", JSON.stringify(receiver)] as const),
      );
      const args = ["--screen", "--session", sessionId, "--receiver", file];
      if (tools.length > 0) {
        const servers = tools.map(
          ({ name, command: program, args: given }) => ({
            ...{ name, command: program, args: given },
          }),
        );
        const text = JSON.stringify(servers);
        args.push(
          ...[
            "--tools",
            await writePrivateFile(own, "tool-servers.json", text),
          ],
        );
      }
      return {
        file: command.file,
        args: [...command.args, ...args],
        env: {
          ...command.env,
          [AGENT_ID]: agentId,
          ...toolEnvironment(tools),
        },
        session: { sessionId, resumeKey: null },
        hasReceiver: true,
      };
    },
    login: ({ file, args, env }) => ({ file, args: [...args, "--login"], env }),
    holdsPrompt: ({ sessionId, ...prompt }) =>
      holdsPrompt(fileOf(sessionId), prompt, readSaid),
    async nativeRecord({ sessionId }) {
      const file = fileOf(sessionId);
      return await access(file).then(
        () => file,
        () => null,
      );
    },
  };
}

/** What the user said, by a line of a conversation. */
function readSaid(line: unknown): RecordedMessage | undefined {
  const { data } = saidLine.safeParse(line);
  return data && { at: data.at, text: data.said.text };
}

const saidLine = z.object({
  said: z.object({ role: z.literal("user"), text: z.string() }),
  at: z.string(),
});

/** Where the practice agent keeps its conversations, below the plugin's folder. */
export function conversationsFolder(folder: string): string {
  return join(folder, "practice");
}
