import { CLOSED_CODE } from "../protocol/protocol-connection.ts";
import { idOf, toCall } from "./agent-call.ts";
import type { AgentCall } from "./agent-call.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { judgeAgentCall } from "./judge-agent-call.ts";
import { performCall } from "./perform-call.ts";
import { refreshRules } from "./refresh-rules.ts";

/** Calls that open an address. */
const OPENING_METHODS = new Set(["Page.navigate", "Target.createTarget"]);

const INVALID = -32_600;

/** Handles one message of an agent: judges the call, records it and carries it out. Never throws. */
export function takeMessage(
  connection: AgentConnection,
  message: unknown,
): void {
  if (connection.isClosed) return;
  const call = toCall(message);
  if (typeof call === "string")
    return connection.send({
      id: idOf(message),
      error: { code: INVALID, message: `Gantry: ${call}` },
    });
  const { url } = call.params;
  if (!OPENING_METHODS.has(call.method) || typeof url !== "string")
    return handleCall(connection, call);
  refreshRules(connection, url, connection.sessionOf(call), () =>
    handleCall(connection, call),
  );
}

/** Judges a call by the rules of this moment and carries it out. */
function handleCall(connection: AgentConnection, call: AgentCall): void {
  if (connection.isClosed) return;
  if (connection.core.protocol.isClosed)
    return connection.answer(call, {
      error: { code: CLOSED_CODE, message: "Gantry: the browser has ended" },
    });
  const session = connection.sessionOf(call);
  const verdict = judgeAgentCall(connection, call, session);
  if (verdict.refusal !== null) return connection.refuse(call, verdict.refusal);
  const { handling, params } = verdict;
  performCall(connection, { ...call, params }, handling, session);
}
