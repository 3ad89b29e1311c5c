import { assertBodySize } from "h3";
import type { H3Event } from "h3";
import { runInContext } from "../context/work-context.ts";
import { DEFAULT_MAX_BODY } from "./body.ts";
import type { Connections } from "./connections.ts";
import { requestOf } from "./event-sides.ts";
import { setSecurityHeaders } from "./reply.ts";
import type { HandlerRecord } from "./route-table.ts";

/** What its answer has unless it says otherwise. Nothing of it may act in the name of who is paired. */
const DEFAULT_HEADERS = [
  ["cache-control", "no-store"],
  ["content-security-policy", "sandbox"],
] as const;

/**
 * Answers a request with a plugin's handler of h3.
 *
 * @returns what h3 answers with
 */
export async function answerByHandler(
  { connections }: { connections: Pick<Connections, "add"> },
  { definition, owner }: HandlerRecord,
  event: H3Event,
): Promise<unknown> {
  const { maxBody = DEFAULT_MAX_BODY } = definition;
  const { plugin } = owner;
  const request = requestOf(event);
  const { caller, requestId, response } = request;
  request.owner = owner;
  setSecurityHeaders(response, requestId);
  for (const [name, value] of DEFAULT_HEADERS) response.setHeader(name, value);
  const end = () => response.destroy();
  response.once("close", connections.add({ caller, plugin, end }));
  assertBodySize(event, maxBody);
  // Its listeners are code of the plugin's, whose faults must be known as such.
  Object.defineProperty(event.req, "signal", { get: () => request.signal });
  return await runInContext({ plugin, requestId }, () =>
    owner.follow((async () => definition.handle(event))()),
  );
}
