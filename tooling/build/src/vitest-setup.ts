import { vi } from "vitest";

/** How long a test waits for what should come at once: on two busy cores a second is little. */
const PATIENCE_MS = 10_000;

const { waitFor } = vi;

vi.waitFor = (check, options = {}) =>
  waitFor(check, {
    timeout: PATIENCE_MS,
    ...(typeof options === "number" ? { timeout: options } : options),
  });
