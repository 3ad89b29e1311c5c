import { GEMINI, OPENCODE } from "@gantry/plugin-acp/testing";
import { CLAUDE } from "@gantry/plugin-claude/testing";
import { CODEX } from "@gantry/plugin-codex/testing";
import { PI } from "@gantry/plugin-pi/testing";
import type { CliConfig } from "../../src/config.ts";

/** The settings of the CLIs that plugins bring, as the configuration would have them. */
export const KNOWN_CLIS: Readonly<Record<string, CliConfig>> =
  Object.fromEntries(
    [PI, CLAUDE, CODEX, OPENCODE, GEMINI].map(
      ({ name, order: _order, ...settings }) => [
        name,
        structuredClone(settings) as CliConfig,
      ],
    ),
  );
