import { hasTier } from "../fence/judge-call.ts";
import { toSite } from "./to-site.ts";
import { ToolProblem } from "./tool-problem.ts";
import type { ToolsHost } from "./tools-host.ts";
import type { Verb } from "./verbs/verb.ts";

type PermitHost = Pick<
  ToolsHost,
  "rules" | "questions" | "judgeUrl" | "allow" | "refreshPorts"
>;

/** For a permission that was not one-time: there is nothing to end. */
const NO_GRANT = () => {};

/**
 * Makes sure that an agent may open an address. Asks the user about an address that its policy does not list, unless no
 * policy could allow it. Returns a function that ends a one-time permission.
 *
 * @throws ToolProblem if it may not
 */
export async function permitSite(
  host: PermitHost,
  { agentId, url, tool }: { agentId: string; url: string; tool: string },
  signal: AbortSignal,
): Promise<() => void> {
  const judge = () => host.judgeUrl(url, host.rules.rulesOf(agentId));
  if (judge() === null) return NO_GRANT;
  const site = toSite(url);
  // No question is needed for a server that the agent has just started.
  if (site?.startsWith("localhost:")) await host.refreshPorts?.(agentId);
  const refusal = judge();
  if (refusal === null) return NO_GRANT;
  const rules = host.rules.rulesOf(agentId);
  const couldBeAllowed =
    site !== undefined &&
    host.judgeUrl(url, { ...rules, sites: [...rules.sites, site] }) === null;
  if (!couldBeAllowed) throw new ToolProblem(`Gantry: ${refusal}.`);
  const wanted = { agentId, kind: "site", site, tier: null, tool } as const;
  const answer = await host.questions.ask({ ...wanted, detail: url }, signal);
  if (answer === "once") return host.rules.grant({ agentId, site });
  await host.allow(agentId, { site });
  return NO_GRANT;
}

/**
 * Makes sure that the tier of an agent includes a tool, and asks the user if it does not. Returns a function that ends
 * a one-time permission.
 *
 * @throws ToolProblem if the user does not allow it
 */
export async function permitTier(
  host: PermitHost,
  { agentId, verb }: { agentId: string; verb: Verb },
  signal: AbortSignal,
): Promise<() => void> {
  const { tier } = host.rules.rulesOf(agentId);
  if (hasTier(tier, verb.tier)) return NO_GRANT;
  if (tier === "none")
    throw new ToolProblem(
      "Gantry: you may not use the browser. The user can change that on the page of this agent.",
    );
  const answer = await host.questions.ask(
    {
      agentId,
      kind: "tier",
      site: null,
      tier: verb.tier,
      tool: verb.name,
      detail: verb.description,
    },
    signal,
  );
  if (answer === "once") return host.rules.grant({ agentId, tier: verb.tier });
  await host.allow(agentId, { tier: verb.tier });
  return NO_GRANT;
}
