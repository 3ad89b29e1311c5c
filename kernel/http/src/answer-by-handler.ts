import { assertBodySize } from "h3";
import type { H3Event } from "h3";
import type { Method } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { DEFAULT_MAX_BODY } from "./body.ts";
import type { Authenticator } from "./gate.ts";
import { requestOf } from "./http-request.ts";
import type { HttpRequest } from "./http-request.ts";
import { follow, methodNotAllowed, refusal, refuseBody } from "./operation.ts";
import type { OperationHost } from "./operation.ts";
import { setSecurityHeaders } from "./reply.ts";
import type { HandlerRecord } from "./route-table.ts";

/** What its answer has unless it says otherwise. Nothing of it may act as the paired user. */
const DEFAULT_HEADERS = [
  ["cache-control", "no-store"],
  ["content-security-policy", "sandbox"],
] as const;

/** Dependencies of {@link answerByHandler}. */
export interface HandlerHost extends Pick<
  OperationHost,
  "connections" | "unavailableAt"
> {
  authenticator: Authenticator;
}

/**
 * Answers a request with a plugin's handler of h3.
 *
 * @returns what h3 answers with
 */
export async function answerByHandler(
  host: HandlerHost,
  { definition, owner }: HandlerRecord,
  event: H3Event,
): Promise<unknown> {
  const { methods, maxBody = DEFAULT_MAX_BODY } = definition;
  const { plugin } = owner;
  const request = requestOf(event);
  const { caller, requestId, response } = request;
  request.owner = owner;
  if (methods) checkMethod(methods, request);
  setSecurityHeaders(response, requestId);
  if (!owner.isSystem)
    for (const [name, value] of DEFAULT_HEADERS)
      response.setHeader(name, value);
  const end = () => response.destroy();
  response.once("close", host.connections.add({ caller, plugin, end }));
  assertBodySize(event, maxBody);
  // Its listeners are code of the plugin's, whose faults must be known as such.
  Object.defineProperty(event.req, "signal", { get: () => request.signal });
  const path = event.url.pathname;
  const own = {
    get caller() {
      return caller ?? host.authenticator.authenticate(request);
    },
  };
  const answer = await runInContext({ plugin, requestId }, () =>
    follow(owner, (async () => definition.handle(event, own))()),
  );
  if (answer === undefined) throw refusal(host, path);
  return answer;
}

function checkMethod(methods: readonly Method[], request: HttpRequest): void {
  const method = request.isRead ? "GET" : request.method;
  if (!methods.includes(method as Method)) throw methodNotAllowed(methods);
  if (request.isRead) refuseBody(request);
}
