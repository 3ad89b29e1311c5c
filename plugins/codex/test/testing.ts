import { fileURLToPath } from "node:url";

// Test helpers for other plugins.
export { CODEX, CODEX_TRUST_PATHS } from "../src/codex-cli.ts";

/** The program that stands in for the CLI. */
export const FAKE_CODEX = fileURLToPath(
  new URL("stand-ins/fake-codex.ts", import.meta.url),
);
