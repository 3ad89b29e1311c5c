#!/usr/bin/env node
import { parseArgs } from "node:util";
import { Conversations } from "./conversations.ts";
import { PracticeAgent } from "./practice-agent.ts";
import { PRACTICE_VERSION } from "./version.ts";
import { Wire } from "./wire.ts";

/** A command that is running has so long to be killed with all that it started. */
const KILL_MS = 300;

const { values } = parseArgs({
  options: {
    /** Folder to keep conversations in; without it they end with the process. */
    sessions: { type: "string" },
    version: { type: "boolean" },
  },
});

if (values.version) {
  console.log(`gantry-practice ${PRACTICE_VERSION}`);
} else {
  const wire = new Wire(process.stdout);
  const agent = new PracticeAgent(wire, new Conversations(values.sessions));
  // A client that is gone does not read any more, and nothing is left to do.
  process.stdout.on("error", () => process.exit(0));
  process.on("SIGTERM", () => {
    agent.stop();
    setTimeout(() => process.exit(143), KILL_MS);
  });
  await wire.read(process.stdin, (call) => agent.handle(call));
  agent.stop();
  setTimeout(() => process.exit(0), KILL_MS).unref();
}
