import { expect, test } from "vitest";
import { toRestartWords } from "../../ui/agents/restartWords.ts";

test.each([
  ["idle", null, undefined],
  ["idle", [], undefined],
  [
    ...(["idle", [5173]] as const),
    "A restart ends its server on port 5173. The agent restarts by itself once that server has ended.",
  ],
  [
    ...(["idle", [5173, 5174]] as const),
    "A restart ends its servers on ports 5173, 5174. The agent restarts by itself once they have ended.",
  ],
  [
    ...(["working", []] as const),
    "A restart ends what it is doing. The agent restarts by itself once it is done.",
  ],
  [
    ...(["waiting", [5173]] as const),
    "A restart ends what it is doing and its server on port 5173. The agent restarts by itself once that server has ended.",
  ],
] as const)(
  "a restart that is due is told: %s, %j",
  (activity, ports, words) => {
    const pendingRestart = ports && { ports: [...ports] };
    expect(toRestartWords({ activity, pendingRestart })).toBe(words);
  },
);
