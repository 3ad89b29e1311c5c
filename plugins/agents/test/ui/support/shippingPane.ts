import { expect, vi } from "vitest";
import { useStatus } from "../../../ui/repository/useStatus.ts";
import { useAgentRequests } from "../../../ui/shipping/useAgentRequests.ts";
import { useCheckFixes } from "../../../ui/shipping/useCheckFixes.ts";
import { useShipping } from "../../../ui/shipping/useShipping.ts";
import type { PullRequest, ShippingState } from "../../../ui/shipping/wire.ts";
import { startFakeDaemon } from "./fakeDaemon.ts";
import { mountPage } from "./kit.ts";
import { shippingState } from "./shippingState.ts";

export const git = "/api/agents/agt_1/git";

/** A pane over a repository. What the daemon says of it is `told`, which a test changes. */
export function openPane(first: Partial<ShippingState> = {}) {
  const told = { state: shippingState(first) };
  const mark = { key: "1", token: "1" };
  const daemon = startFakeDaemon({
    [`GET ${git}/head`]: () => ({ git: true, ...mark }),
    "GET /api/agents/agt_1": () => ({ id: "agt_1", activity: "idle" }),
    "GET /api/agents/agt_1/gitstatus": () => ({
      ...{ git: true, items: [], mark },
    }),
    [`GET ${git}/shipping`]: () => ({ git: true, ...told.state }),
  });
  const page = mountPage(() => {
    const status = useStatus(
      "agt_1",
      () => undefined,
      () => true,
    );
    const shipping = useShipping("agt_1", status);
    const requests = useAgentRequests("agt_1");
    const pr = () => ({ number: 7 }) as PullRequest;
    return { shipping, fixes: useCheckFixes(shipping, requests, pr) };
  });
  const { shipping } = page.result;
  return {
    ...page.result,
    [Symbol.dispose]: () => page[Symbol.dispose](),
    daemon,
    told,
    ready: () => vi.waitFor(() => expect(shipping.state.value).toBeDefined()),
  };
}
