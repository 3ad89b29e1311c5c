import { headersOf, isIdentifier } from "@gantry/plugin";
import type {
  BytesAnswer,
  Clock,
  EventStreamAnswer,
  Log,
} from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import { answerBytes } from "./answer-bytes.ts";
import { answerStream } from "./answer-stream.ts";
import { DEFAULT_MAX_BODY, readBytesBody, readJsonBody } from "./body.ts";
import type { Connections } from "./connections.ts";
import { dataKeysOf } from "./data-keys.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Idempotency } from "./idempotency.ts";
import { toOutcome } from "./inspect.ts";
import type { Inspect } from "./inspect.ts";
import { sendJson } from "./reply.ts";
import { findRecord, firstRecord } from "./route-table.ts";
import type { PathEntry, RouteRecord } from "./route-table.ts";
import { refuseFields, toQueryObject, validate } from "./validate.ts";

/** Dependencies of {@link operate}. */
export interface OperationHost {
  clock: Clock;
  connections: Connections;
  idempotency: Idempotency;
  logOf(plugin: string): Log;
  inspect: Inspect | undefined;
  /** The error for a path whose plugin is not active. */
  unavailableAt(path: string): Error | undefined;
}

const NO_QUERY = Object.freeze({});
/** Time in which a client without a session must have sent its body. */
const OUTSIDER_BODY_MS = 10_000;

/**
 * Answers a request that the gate let through with the operation at its address.
 *
 * @param path The address, in the spelling that plugins' mounts have.
 * @throws the error that the client gets instead of an answer
 */
export async function operate(
  host: OperationHost,
  entry: PathEntry,
  path: string,
  request: HttpRequest,
): Promise<void> {
  const record = findRecord(entry, request.method);
  const known = record ?? firstRecord(entry);
  if (!known) throw refusal(host, path, entry);
  const { definition, owner } = known;
  request.owner = owner;
  const serve = async () => {
    // A plugin that stops accepts no new request, while its work in progress goes on.
    if (!record || owner.signal.aborted) throw refusal(host, path, entry);
    if (request.isRead) refuseBody(request);
    await run(host, record, request);
  };
  const work = async () => {
    if (definition.access !== "self" || known.isPublic) return await serve();
    await definition.authorize?.(request);
    await settle(known, request, serve);
  };
  // Everything from here on may run code of the plugin's: its own check of the caller, its schemas, its handler.
  const context = { plugin: owner.plugin, requestId: request.requestId };
  const { inspect } = host;
  await runInContext(context, () =>
    inspect && record ? inspectErrors(inspect, record, request, work) : work(),
  );
}

/** Runs an operation and has an error that it throws looked at. */
async function inspectErrors(
  inspect: Inspect,
  record: RouteRecord,
  request: HttpRequest,
  operation: () => Promise<void>,
): Promise<void> {
  try {
    await operation();
  } catch (error) {
    await inspect(toOutcome(record, request, { error }));
    throw error;
  }
}

/** Tells the operation what became of a request that it let pass. */
async function settle(
  { definition, owner }: RouteRecord,
  request: HttpRequest,
  serve: () => Promise<void>,
): Promise<void> {
  // A fault in it is one of the plugin's, and changes nothing of the answer.
  const tell = (error?: unknown) => {
    if (!owner.signal.aborted)
      void (async () => definition.settled?.(request, error))();
  };
  try {
    await serve();
  } catch (error) {
    tell(error);
    throw error;
  }
  tell();
}

/** Checks a request against its route's record, runs the handler and writes its answer. */
async function run(
  host: OperationHost,
  record: RouteRecord,
  request: HttpRequest,
): Promise<void> {
  const { definition, owner } = record;
  checkParameters(record, request);
  // Each thing that is waited for costs a turn of the event loop's queue, so nothing is that need not be.
  if (!request.isRead)
    request.body = await readBody(definition, request, host.clock);
  request.query = definition.query
    ? await validate(definition.query, toQueryObject(request.search), "query")
    : noQuery(request);
  request.readIfMatch();
  const handle = () => definition.handle(request as never);
  const started = definition.idempotent
    ? host.idempotency.run(record, request, handle)
    : handle();
  const answer: unknown = isPromiseLike(started)
    ? await owner.follow(Promise.resolve(started))
    : started;

  if (definition.returns === "event-stream")
    return answerStream(host, record, request, answer as EventStreamAnswer);
  if (definition.returns === "bytes")
    return answerBytes(host, record, request, answer as BytesAnswer);
  if (host.inspect) await host.inspect(toOutcome(record, request, { answer }));
  const headers = headersOf(answer);
  sendJson(
    request.response,
    request.requestId,
    answer,
    headers && Object.entries(headers).flat(),
  );
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null)?.then === "function";
}

/** What does not have the shape of an id is unknown, and nothing is looked up for it. */
function checkParameters(
  { definition }: RouteRecord,
  { params }: HttpRequest,
): void {
  for (const [name, parameter] of Object.entries(definition.params ?? {})) {
    const value = params[name] ?? "";
    const fits =
      "pattern" in parameter
        ? parameter.pattern.test(value)
        : isIdentifier(parameter.prefix, value);
    if (!fits)
      throw parameter.missing({
        id: value.replace(/[^\w-]/g, "?").slice(0, 40),
      });
  }
}

async function readBody(
  {
    body: schema,
    maxBody: limit = DEFAULT_MAX_BODY,
    access,
  }: RouteRecord["definition"],
  request: HttpRequest,
  clock: Clock,
): Promise<object | Uint8Array | undefined> {
  const deadline =
    access === "self"
      ? (late: () => void) => clock.after(OUTSIDER_BODY_MS, late)
      : undefined;
  if (schema === "bytes") return readBytesBody(request, limit, deadline);
  const dataKeys = schema && (() => dataKeysOf(schema));
  const json = await readJsonBody(request, limit, deadline, dataKeys);
  if (schema) return (await validate(schema, json, "body")) as object;
  refuseFields(json);
  return undefined;
}

function noQuery(request: HttpRequest): object {
  if (!request.message.url?.includes("?")) return NO_QUERY;
  const [name] = request.search.keys();
  if (name === undefined) return NO_QUERY;
  const path = name.slice(0, 64);
  throw errors.INPUT_INVALID(
    { part: "query", summary: `"${path}": unknown parameter` },
    { errors: [{ path, message: "unknown parameter" }] },
  );
}

/** A body of a request that takes none would be read to its end by Node, however long it is. */
export function refuseBody({ hasBody }: HttpRequest): void {
  if (hasBody) throw errors.BODY_NOT_EXPECTED();
}

/** The error that a paired caller gets for an address or method that does not exist. */
export function refusal(
  host: Pick<OperationHost, "unavailableAt">,
  path: string,
  entry?: PathEntry,
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
