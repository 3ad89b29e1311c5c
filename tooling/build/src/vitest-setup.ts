import { vi } from "vitest";
import { PATIENCE_MS } from "./patience.ts";

const { waitFor } = vi;

vi.waitFor = (check, options = {}) =>
  waitFor(check, {
    timeout: PATIENCE_MS,
    ...(typeof options === "number" ? { timeout: options } : options),
  });
