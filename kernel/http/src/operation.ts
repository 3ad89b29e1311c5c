import { headersOf, isIdentifier } from "@gantry/plugin";
import type {
  BytesAnswer,
  Clock,
  EventStreamAnswer,
  Log,
  Schema,
} from "@gantry/plugin";
import { workContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import { answerBytes } from "./answer-bytes.ts";
import { readBody } from "./body.ts";
import type { Connections } from "./connections.ts";
import { answerStream } from "./event-stream.ts";
import type { HttpRequest } from "./http-request.ts";
import type { Idempotency } from "./idempotency.ts";
import { fieldError, schemaError, unknownFields } from "./input-error.ts";
import { inspectErrors, toOutcome } from "./inspect.ts";
import type { Inspect } from "./inspect.ts";
import { send } from "./reply.ts";
import type { PathEntry, RouteOwner, RouteRecord } from "./route-table.ts";

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

/** The operation at an address for a method. */
export function findRecord(
  { methods }: PathEntry,
  method: string,
): RouteRecord | undefined {
  // HEAD is GET without the body, and no other method stands for another.
  return methods.get((method === "HEAD" ? "GET" : method) as "GET");
}

/** Its access decides also for a method that the address does not have: who may not call it learns nothing of it. */
export function firstRecord({ methods }: PathEntry): RouteRecord | undefined {
  return methods.values().next().value;
}

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
    // A plugin that stops accepts no new request, while its work in progress may finish.
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
  await workContext.run(context, () =>
    inspect && record ? inspectErrors(inspect, record, request, work) : work(),
  );
}

/** Notifies the operation of the result of a request that it let pass. */
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
  if (!request.isRead) {
    const body = await readBody(definition, request, host.clock);
    request.body = await checkBody(definition, body);
  }
  request.query = definition.query
    ? await validate(definition.query, toQueryObject(request.search), "query")
    : noQuery(request);
  request.readIfMatch();
  const handle = () => definition.handle(request as never);
  const started = definition.idempotent
    ? host.idempotency.run(record, request, handle)
    : handle();
  const answer: unknown = isPromiseLike(started)
    ? await follow(owner, Promise.resolve(started))
    : started;

  if (definition.returns === "event-stream")
    return answerStream(host, record, request, answer as EventStreamAnswer);
  if (definition.returns === "bytes")
    return answerBytes(host, record, request, answer as BytesAnswer);
  if (host.inspect) await host.inspect(toOutcome(record, request, { answer }));
  const headers = headersOf(answer);
  send(request.response, request.requestId, {
    status: 200,
    mediaType: "application/json",
    body: JSON.stringify(answer),
    headers: headers && Object.entries(headers).flat(),
  });
}

/** Counts work of a plugin among what its stop waits for. */
export function follow<Result>(
  { inFlight }: RouteOwner,
  work: Promise<Result>,
): Promise<Result> {
  inFlight.add(work);
  const done = () => inFlight.delete(work);
  work.then(done, done);
  return work;
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

function checkBody(
  { body: schema }: RouteRecord["definition"],
  body: object,
): unknown {
  if (schema === "bytes") return body;
  if (schema) return validate(schema, body, "body");
  if (Object.keys(body).length > 0) throw unknownFields(body);
  return undefined;
}

/** Checks an input with a schema and gives what the schema makes of it. @throws `INPUT_INVALID` with each issue */
async function validate<Output>(
  schema: Schema<Output>,
  input: unknown,
  part: "body" | "query",
): Promise<Output> {
  let result = schema["~standard"].validate(input);
  if (result instanceof Promise) result = await result;
  if (!result.issues) return result.value;
  throw schemaError(part, result.issues);
}

/** Query parameters as an object. A parameter that is sent twice is refused rather than guessed at. */
function toQueryObject(search: URLSearchParams): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const [name, value] of search) {
    if (name in query) throw fieldError("query", name, "given twice", "is ");
    query[name] = value;
  }
  return query;
}

function noQuery(request: HttpRequest): object {
  if (!request.message.url?.includes("?")) return NO_QUERY;
  const [name] = request.search.keys();
  if (name === undefined) return NO_QUERY;
  throw fieldError("query", name, "unknown parameter");
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
