import type { Agent } from "../wire.ts";

/** What a restart that is due ends, and when it comes by itself; `undefined` if none is due. */
export function toRestartWords({
  pendingRestart,
  activity,
}: Pick<Agent, "pendingRestart" | "activity">): string | undefined {
  const ports = pendingRestart?.ports ?? [];
  const isWorking = activity !== "idle";
  // An idle agent without servers is restarted at once.
  if (!pendingRestart || (ports.length === 0 && !isWorking)) return undefined;
  const servers =
    ports.length > 1
      ? `its servers on ports ${ports.join(", ")}`
      : `its server on port ${ports.join()}`;
  const ended = [
    ...(isWorking ? ["what it is doing"] : []),
    ...(ports.length > 0 ? [servers] : []),
  ];
  const waits =
    ports.length === 0
      ? "it is done"
      : `${ports.length > 1 ? "they have" : "that server has"} ended`;
  return `A restart ends ${ended.join(" and ")}. The agent restarts by itself once ${waits}.`;
}
