import { api } from "@gantry/ui-kit";
import { shallowRef, type Ref } from "vue";
import { askToFixCheck } from "./prompts.ts";
import type { AgentRequests } from "./useAgentRequests.ts";
import type { Shipping } from "./useShipping.ts";
import type { CheckLog, PullRequest } from "./wire.ts";

/** Has the agent fix checks that failed. */
export interface CheckFixes {
  /** Names of checks whose log the agent has. */
  readonly sent: Readonly<Ref<ReadonlySet<string>>>;
  /** The check whose log is being read. */
  readonly reading: Readonly<Ref<string | undefined>>;
  /** Sends the agent the end of a check's log. */
  fix(check: string): Promise<void>;
}

/** Makes it for a pull request. */
export function useCheckFixes(
  { agentId, fail, forgetFailure }: Shipping,
  requests: AgentRequests,
  pr: () => PullRequest | undefined,
): CheckFixes {
  const sent = shallowRef<ReadonlySet<string>>(new Set());
  const reading = shallowRef<string>();

  async function fix(check: string): Promise<void> {
    if (reading.value !== undefined) return;
    reading.value = check;
    forgetFailure();
    try {
      const { text } = await api.get<CheckLog>(
        `/api/agents/${agentId}/pr/log`,
        {
          query: { check },
        },
      );
      const prompt = askToFixCheck(pr()?.number ?? 0, check, text);
      if ((await requests.ask(prompt)) !== undefined)
        sent.value = new Set([...sent.value, check]);
    } catch (thrown) {
      fail("log", thrown, () => fix(check));
    } finally {
      reading.value = undefined;
    }
  }

  return { sent, reading, fix };
}
