import { existsSync } from "node:fs";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import {
  type AgentCapabilities,
  type AgentCli,
  type AgentDriver,
  holdsPrompt,
  NO_CAPABILITIES,
  type RecordedMessage,
  toolEnvironment,
  writePrivateFile,
} from "@gantry/agent-kit";
import { listConversations, removeConversation } from "./conversation-files.ts";
import { createConversationId } from "./program/conversations.ts";
import { PRACTICE_VERSION } from "./program/version.ts";

export const PRACTICE = "practice";

/** Its capabilities, known without a start. */
const capabilities: AgentCapabilities = {
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

/** Passes the practice agent the id of the agent that its conversations belong to. */
const AGENT_ID = "GANTRY_AGENT_ID";

/**
 * The practice agent: a program of this plugin, which is beside this file when built. It speaks the Agent Client
 * Protocol.
 *
 * @param folder Where it stores its conversations.
 */
export function createPracticeCli(folder: string): AgentCli {
  const built = fileURLToPath(new URL("practice.mjs", import.meta.url));
  const source = fileURLToPath(new URL("./program/main.ts", import.meta.url));
  const isBuilt = existsSync(built);
  return {
    name: PRACTICE,
    order: 2000,
    title: "practice (Gantry's own, without a model)",
    isPractice: true,
    isFixed: true,
    driver: "acp",
    command: process.execPath,
    args: [
      // Imports the contract from its source as well.
      ...(isBuilt ? [built] : ["--conditions=gantry-source", source]),
      ...["--sessions", folder],
    ],
    env: {},
    cost: "usd",
    // It reads nothing from a project folder.
    trustPaths: [],
    knownVersion: PRACTICE_VERSION,
    program: isBuilt ? built : source,
    capabilities,
    agentVariable: AGENT_ID,
    overrides: practiceParts(folder),
    conversations: {
      list: () => listConversations(folder),
      remove: (id) => removeConversation(folder, id),
    },
  };
}

/**
 * Parts of the practice agent that the protocol's driver cannot know: its screen, its login, its conversation files.
 */
function practiceParts(
  folder: string,
): Required<
  Pick<AgentDriver, "screen" | "login" | "nativeRecord" | "holdsPrompt">
> {
  const fileOf = (sessionId: string) => join(folder, `${sessionId}.jsonl`);
  return {
    async screen({ agentId, command, resume, receiver, folder: own, tools }) {
      const sessionId = resume?.sessionId ?? createConversationId();
      // As a file: every user of the machine can see a process's arguments.
      const file = join(own, "receiver.json");
      await writeFile(file, JSON.stringify(receiver), { mode: 0o600 });
      const args = ["--screen", "--session", sessionId, "--receiver", file];
      if (tools.length > 0) {
        const servers = tools.map(({ name, command, args }) => ({
          ...{ name, command, args },
        }));
        const text = JSON.stringify(servers);
        const path = await writePrivateFile(own, "tool-servers.json", text);
        args.push("--tools", path);
      }
      return {
        file: command.file,
        args: [...command.args, ...args],
        env: {
          ...command.env,
          ...toolEnvironment(tools),
          [AGENT_ID]: agentId,
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

/** The user's message in a line of a conversation. */
function readSaid(line: unknown): RecordedMessage | undefined {
  const { data } = saidLine.safeParse(line);
  return data && { at: data.at, text: data.said.text };
}

const saidLine = z.object({
  said: z.object({ role: z.literal("user"), text: z.string() }),
  at: z.string(),
});
