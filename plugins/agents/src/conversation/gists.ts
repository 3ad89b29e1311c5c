import type { Run } from "@gantry/plugin";
import { errors } from "../errors.ts";

const TIMEOUT_MS = 60_000;
const GIST = /https:\/\/[^\s"]+/;

/**
 * Creates an unlisted gist with the user's own `gh`.
 *
 * @returns its URL
 * @throws AGENT_TOOL_MISSING without `gh`, AGENT_SHARE_FAILED with the last line of its error output
 */
export async function createGist(
  run: Run,
  file: { name: string; text: string; description: string },
  signal: AbortSignal,
): Promise<string> {
  const gh = await run.find("gh");
  if (gh === undefined) throw errors.AGENT_TOOL_MISSING({ tool: "gh" });
  const { name, text, description } = file;
  const result = await run.collect(
    gh,
    ["gist", "create", "--desc", description, "--filename", name, "-"],
    {
      input: text,
      timeoutMs: TIMEOUT_MS,
      signal,
      env: { GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
    },
  );
  const url = GIST.exec(result.stdout)?.[0];
  if (result.code === 0 && url !== undefined) return url;
  const said = result.stderr.trim().split("\n").at(-1) ?? "";
  const reason = result.timedOut
    ? "gh took too long."
    : said || `gh ended with ${result.code}.`;
  throw errors.AGENT_SHARE_FAILED({ reason });
}
