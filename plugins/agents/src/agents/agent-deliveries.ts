import type { AgentDeliveries } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { Receivers } from "../screens/receivers.ts";

const PAGE_SIZE = 500;

/** Counts the messages to an agent by their status and by the way in which they were delivered. */
export async function countDeliveries(
  { tasks }: Records,
  receivers: Receivers,
  agent: AgentRecord,
): Promise<AgentDeliveries> {
  const counts: AgentDeliveries = {
    tasks: { queued: 0, delivering: 0, delivered: 0, failed: 0, cancelled: 0 },
    ways: { protocol: 0, receiver: 0, paste: 0 },
    way: nextWay(receivers, agent),
  };
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await tasks.list({
      index: "agent",
      prefix: [agent.id],
      limit: PAGE_SIZE,
      ...(cursor ? { cursor } : {}),
    });
    for (const { status, via } of page.items) {
      counts.tasks[status] += 1;
      if (status === "delivered" && via) counts.ways[via] += 1;
    }
    cursor = page.nextCursor;
  }
  return counts;
}

function nextWay(
  receivers: Receivers,
  { id, mode }: AgentRecord,
): AgentDeliveries["way"] {
  if (mode !== "terminal") return "protocol";
  return receivers.isConnected(id) ? "receiver" : "paste";
}
