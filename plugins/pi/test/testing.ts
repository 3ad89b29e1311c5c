import { fileURLToPath } from "node:url";

// Test helpers for other plugins.
export { PI, PI_TRUST_PATHS } from "../src/pi-cli.ts";

/** The program that stands in for the CLI. */
export const FAKE_PI = fileURLToPath(
  new URL("stand-ins/fake-pi.ts", import.meta.url),
);
