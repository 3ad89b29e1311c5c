import type { ServerResponse } from "node:http";
import { runInContext } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import { dispatch } from "./dispatch.ts";
import type { DispatchHost } from "./dispatch.ts";
import type { Exchange } from "./exchange.ts";
import { checkProblems } from "./check-answers.ts";
import type { Gate, Guarded } from "./gate.ts";
import type { Head } from "./request-head.ts";
import type { PathEntry, RouteRecord } from "./route-table.ts";

/** Dependencies of {@link operate}. */
export interface OperateHost extends DispatchHost {
  gate: Gate;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

/**
 * Answers a request for an operation, through the gate.
 *
 * @param entry What is at the address, `undefined` for an unknown one.
 * @param path The address, in the spelling that plugins' mounts have.
 * @throws the error that the client gets instead of an answer
 */
export async function operate(
  host: OperateHost,
  entry: PathEntry | undefined,
  request: OperationRequest,
): Promise<void> {
  const { head, path, response } = request;
  const record = entry && findRecord(entry, head.method);
  const guarded = entry && guard(entry, record);
  const caller = host.gate.pass(head, "request", guarded);
  const known = record ?? firstRecord(entry);
  if (!known) throw refusal(host, path, entry);
  const exchange: Exchange = { head, message: head.message, response, caller };
  const work = async () => {
    const isGuarded = guarded?.access === "self";
    if (isGuarded) await known.definition.authorize?.(head);
    const serve = async () => {
      // A plugin that stops accepts no new request, while its work in progress goes on.
      if (!record || record.owner.signal.aborted)
        throw refusal(host, path, entry);
      if (head.isRead) refuseBody(head);
      return dispatch(host, record, exchange);
    };
    return isGuarded ? settle(known, head, serve) : serve();
  };
  // Everything from here on may run code of the plugin's: its own check of the caller, its schemas, its handler.
  const context = { plugin: known.owner.plugin, requestId: head.requestId };
  const { checks } = host;
  return runInContext(
    context,
    checks && record
      ? () => checkProblems(checks, record, exchange, work)
      : work,
  );
}

/** A request for something that may be an operation. */
export interface OperationRequest {
  head: Head;
  response: ServerResponse;
  path: string;
}

/** Tells the operation what became of a request that it let pass. */
async function settle(
  { definition, owner }: RouteRecord,
  head: Head,
  serve: () => Promise<void>,
): Promise<void> {
  // A fault in it is one of the plugin's, and changes nothing of the answer.
  const tell = (error?: unknown) => {
    if (!owner.signal.aborted)
      void (async () => definition.settled?.(head, error))();
  };
  try {
    await serve();
  } catch (error) {
    tell(error);
    throw error;
  }
  tell();
}

/** The operation at an address for a method. */
export function findRecord(
  entry: PathEntry,
  method: string | undefined,
): RouteRecord | undefined {
  // HEAD is GET without the body, and no other method stands for another.
  return entry.methods.get((method === "HEAD" ? "GET" : method) as "GET");
}

function firstRecord(entry: PathEntry | undefined): RouteRecord | undefined {
  return entry?.methods.values().next().value;
}

/** A body of a request that takes none would be read to its end by Node, however long it is. */
export function refuseBody(head: Head): void {
  if (head.hasBody) throw errors.BODY_NOT_EXPECTED();
}

/**
 * The access of a path decides also for a method that it does not have: a client that may not call it learns nothing of it.
 */
function guard(
  entry: PathEntry,
  record: RouteRecord | undefined,
): Guarded | undefined {
  const known = record ?? firstRecord(entry);
  if (!known) return undefined;
  if (known.isPublic) return { access: "public", servesHooks: false };
  const { access, returns, isWebhook = false } = known.definition;
  const streams = returns === "event-stream";
  return { access, servesHooks: isWebhook, streams };
}

/** The error that a paired caller gets for an address or method that does not exist. */
function refusal(
  host: OperateHost,
  path: string,
  entry: PathEntry | undefined,
): Error {
  const unavailable = host.unavailableAt(path);
  if (unavailable) return unavailable;
  if (!entry || entry.methods.size === 0) return errors.ROUTE_NOT_FOUND();
  return methodNotAllowed([...entry.methods.keys()]);
}

/** The error for a method that an address does not have. */
export function methodNotAllowed(methods: readonly string[]): Error {
  const all = methods.flatMap((method) =>
    method === "GET" ? ["GET", "HEAD"] : [method],
  );
  const headers = { allow: all.join(", ") };
  return errors.METHOD_NOT_ALLOWED({}, { headers });
}
