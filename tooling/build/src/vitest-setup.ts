import { vi } from "vitest";
import { WAIT_MS } from "./patience.ts";

const { waitFor } = vi;

// Unlike `expect.poll`, it takes no default from the configuration.
vi.waitFor = (check, options = {}) =>
  waitFor(check, {
    timeout: WAIT_MS,
    ...(typeof options === "number" ? { timeout: options } : options),
  });
