#!/usr/bin/env node
import { parseArgs } from "node:util";
import { Conversations, createConversationId } from "./conversations.ts";
import { PracticeAgent } from "./practice-agent.ts";
import { receive } from "./receiver.ts";
import { Screen } from "./screen.ts";
import { readServerFile, ToolServers } from "./tool-servers.ts";
import { PRACTICE_VERSION } from "./version.ts";
import { Wire } from "./wire.ts";

/** Set by the daemon: the agent that conversations belong to. */
const agentId = process.env["GANTRY_AGENT_ID"];
/** A command that is running has so long to be killed with all that it started. */
const KILL_MS = 300;

const { values } = parseArgs({
  options: {
    /** Folder to keep conversations in; without it they end with the process. */
    sessions: { type: "string" },
    /** Shows itself in the terminal instead of speaking the protocol. */
    screen: { type: "boolean" },
    /** The conversation on the screen; begun if there is none of this id. */
    session: { type: "string" },
    /** File that says where messages for the screen are asked for. */
    receiver: { type: "string" },
    /** File with the tool servers of the screen. */
    tools: { type: "string" },
    login: { type: "boolean" },
    version: { type: "boolean" },
  },
});

if (values.version) {
  console.log(`gantry-practice ${PRACTICE_VERSION}`);
} else if (values.login) {
  console.log(
    "The practice agent has no model and no account: there is nothing to log in to.",
  );
} else if (values.screen) {
  await showScreen();
} else {
  await speakProtocol();
}

async function speakProtocol(): Promise<void> {
  const wire = new Wire(process.stdout);
  const agent = new PracticeAgent(
    wire,
    new Conversations(values.sessions, agentId),
  );
  endWith(() => agent.stop());
  await wire.read(process.stdin, (call) => agent.handle(call));
  agent.stop();
  setTimeout(() => process.exit(0), KILL_MS).unref();
}

async function showScreen(): Promise<void> {
  const conversations = new Conversations(values.sessions, agentId);
  const cwd = process.cwd();
  const id = values.session ?? createConversationId();
  const conversation =
    (await conversations.load(id, cwd)) ?? (await conversations.begin(cwd, id));
  const { stdin: input, stdout: output } = process;
  const tools = new ToolServers(await readServerFile(values.tools));
  const screen = new Screen({
    ...{ input, output, conversations, conversation, tools },
  });
  endWith(() => screen.stop());
  const shown = new AbortController();
  if (values.receiver !== undefined) {
    const hand = (text: string) => screen.submit(text);
    // Without it the screen is a screen all the same.
    receive(values.receiver, id, hand, shown.signal).catch(() => undefined);
  }
  await screen.run();
  shown.abort();
  setTimeout(() => process.exit(0), KILL_MS);
}

function endWith(stop: () => void): void {
  // A client that is gone does not read any more, and nothing is left to do.
  process.stdout.on("error", () => process.exit(0));
  for (const signal of ["SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop();
      setTimeout(() => process.exit(143), KILL_MS);
    });
}
