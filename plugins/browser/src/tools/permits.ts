import { hasTier } from "../guard/judge-call.ts";
import { toSite } from "./to-site.ts";
import { ToolProblem } from "./tool-problem.ts";
import type { ToolsHost } from "./tools-host.ts";
import type { Verb } from "./verbs/verb.ts";

type PermitHost = Pick<
  ToolsHost,
  "access" | "questions" | "judgeUrl" | "allow"
>;

/** Ends a permission that was given for a while. */
export type EndPermit = () => void;

/** For a permission that was not given for a while: there is nothing to end. */
const NOTHING_TO_END: EndPermit = () => {};

/**
 * Makes sure that an agent may open an address. Asks the user about an address that its policy does not list, unless no
 * policy could allow it.
 *
 * @throws ToolProblem if it may not
 */
export async function permitSite(
  host: PermitHost,
  { agentId, url, tool }: { agentId: string; url: string; tool: string },
  signal: AbortSignal,
): Promise<EndPermit> {
  await host.access.refresh(agentId, { url });
  const { sites } = host.access.rulesOf(agentId);
  const refusal = host.judgeUrl(url, sites);
  if (refusal === null) return NOTHING_TO_END;
  const site = toSite(url);
  const couldBeAllowed =
    site !== undefined && host.judgeUrl(url, [...sites, site]) === null;
  if (!couldBeAllowed) throw new ToolProblem(`Gantry: ${refusal}.`);
  const wanted = { agentId, kind: "site", site, tier: null, tool } as const;
  const answer = await host.questions.ask({ ...wanted, detail: url }, signal);
  if (answer === "once") return host.access.grant({ agentId, site });
  await host.allow(agentId, { site });
  return NOTHING_TO_END;
}

/**
 * Makes sure that the tier of an agent includes a tool, and asks the user if it does not.
 *
 * @throws ToolProblem if the user does not allow it
 */
export async function permitTier(
  host: PermitHost,
  { agentId, verb }: { agentId: string; verb: Verb },
  signal: AbortSignal,
): Promise<EndPermit> {
  const { tier } = host.access.rulesOf(agentId);
  if (hasTier(tier, verb.tier)) return NOTHING_TO_END;
  if (tier === "none")
    throw new ToolProblem(
      "Gantry: you may not use the browser. The user can allow it on the page Browser, under Agents.",
    );
  const answer = await host.questions.ask(
    {
      ...{ agentId, kind: "tier", site: null, tier: verb.tier },
      ...{ tool: verb.name, detail: verb.description },
    },
    signal,
  );
  if (answer === "once") return host.access.grant({ agentId, tier: verb.tier });
  await host.allow(agentId, { tier: verb.tier });
  return NOTHING_TO_END;
}
