import { fileURLToPath } from "node:url";

// Test helpers for other plugins.
export { GEMINI, GEMINI_TRUST_PATHS } from "../src/gemini.ts";
export { OPENCODE, OPENCODE_TRUST_PATHS } from "../src/opencode.ts";

/** A program that speaks the protocol badly, or in ways that the practice agent does not. */
export const ROUGH_ACP = fileURLToPath(
  new URL("stand-ins/rough-acp.ts", import.meta.url),
);
