import { fileURLToPath } from "node:url";

// Test helpers for other plugins.
export { CLAUDE, CLAUDE_TRUST_PATHS } from "../src/claude-cli.ts";

/** The program that stands in for the CLI. */
export const FAKE_CLAUDE = fileURLToPath(
  new URL("stand-ins/fake-claude.ts", import.meta.url),
);
