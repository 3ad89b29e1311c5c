import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CliConfig } from "../config.ts";
import { NO_CAPABILITIES, type AgentCapabilities } from "../driver.ts";

export const PRACTICE = "practice";

/** What it can do; no need to start it to know. */
export const PRACTICE_CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  resume: true,
  images: true,
  permissions: true,
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
      existsSync(built) ? built : source,
      "--sessions",
      join(folder, "practice"),
    ],
    env: {},
    cost: "usd",
  };
}
