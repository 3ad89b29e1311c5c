import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Usage } from "./script.ts";

/** USD for a million tokens, as pi is told. */
const PRICES: Usage = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
};

/** What a response costs at the prices that {@link writePiHome} writes, in USD. */
export function priceOf(usage: Usage): number {
  const parts = Object.keys(PRICES) as (keyof Usage)[];
  const total = parts.reduce(
    (sum, part) => sum + usage[part] * PRICES[part],
    0,
  );
  return total / 1_000_000;
}

/**
 * Writes the folder of a user's pi (`~/.pi/agent`, or what `PI_CODING_AGENT_DIR` names), so that it talks to our model
 * server and to no other.
 */
export async function writePiHome(
  folder: string,
  modelUrl: string,
  version: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const model = (id: string) => ({ id, contextWindow: 200_000, cost: PRICES });
  const provider = {
    baseUrl: `${modelUrl}/v1`,
    api: "openai-completions",
    apiKey: "sk-test",
    compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
    models: [model("model-1"), model("model-2")],
  };
  await writeFile(
    join(folder, "models.json"),
    JSON.stringify({ providers: { local: provider } }),
  );
  await writeFile(
    join(folder, "settings.json"),
    JSON.stringify(settings(version)),
  );
}

function settings(version: string): object {
  return {
    defaultProvider: "local",
    defaultModel: "model-1",
    enableInstallTelemetry: false,
    quietStartup: true,
    lastChangelogVersion: version,
  };
}

/** An extension of a user who wants to be asked before each shell command. */
export const PERMISSION_GATE = `
export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !String(event.input.command).includes("careful")) return undefined;
    const choice = await ctx.ui.select("Run " + event.input.command + "?", ["Yes", "No"]);
    return choice === "Yes" ? undefined : { block: true, reason: "The user said no." };
  });
}
`;
