import { headersOf, isIdentifier } from "@gantry/plugin";
import type {
  BytesAnswer,
  Clock,
  EventStreamAnswer,
  Log,
} from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import type { WorkUnit } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import { checkAnswer } from "./check-answers.ts";
import type { AnswerChecks } from "./check-answers.ts";
import { DEFAULT_MAX_BODY, readBytesBody, readJsonBody } from "./body.ts";
import { dataKeysOf } from "./data-keys.ts";
import type { Connections } from "./connections.ts";
import { answerBytes } from "./answer-bytes.ts";
import { openStream } from "./event-stream.ts";
import { HandlerRequest } from "./handler-request.ts";
import type { Idempotency } from "./idempotency.ts";
import { sendJson, setSecurityHeaders } from "./reply.ts";
import type { Head } from "./request-head.ts";
import type { RouteRecord } from "./route-table.ts";
import { refuseFields, toQueryObject, validate } from "./validate.ts";
import type { Exchange } from "./exchange.ts";

/** Dependencies of {@link dispatch}. */
export interface DispatchHost {
  clock: Clock;
  connections: Connections;
  idempotency: Idempotency;
  logOf(plugin: string): Log;
  /** Checks of what operations answer, `undefined` for none. */
  checks: AnswerChecks | undefined;
}

const NO_QUERY = Object.freeze({});
/** Time in which a client without a session must have sent its body. */
const OUTSIDER_BODY_MS = 10_000;
/** Time that a client gets to read what it was sent before its stream is cut. */
const CLOSE_TIMEOUT_MS = 500;
const DEFAULT_IDEMPOTENCY_HEADERS = ["idempotency-key"];

/** Checks a request against its route's record, runs the handler and writes its answer. Runs in the plugin's context. */
export async function dispatch(
  host: DispatchHost,
  record: RouteRecord,
  exchange: Exchange,
): Promise<void> {
  const { definition, owner } = record;
  const { head, response } = exchange;
  checkParameters(record, head);
  // Each thing that is waited for costs a turn of the event loop's queue, so nothing is that need not be.
  const body = head.isRead
    ? undefined
    : await readBody(definition, head, host.clock);
  exchange.body = body;
  const query = definition.query
    ? await validate(definition.query, toQueryObject(head.search), "query")
    : noQuery(head);
  const request = new HandlerRequest({ ...exchange, query, body, owner });
  const handle = () => definition.handle(request as never);
  const started = definition.idempotent
    ? runIdempotent(host.idempotency, record, exchange, body, handle)
    : handle();
  const answer: unknown = isPromiseLike(started)
    ? await owner.follow(Promise.resolve(started))
    : started;

  if (definition.returns === "event-stream")
    return answerStream(host, record, exchange, answer as EventStreamAnswer);
  if (definition.returns === "bytes")
    return answerBytes(host, record, exchange, answer as BytesAnswer);
  if (host.checks) await checkAnswer(host.checks, record, answer);
  const headers = headersOf(answer);
  sendJson(
    response,
    head.requestId,
    answer,
    headers && Object.entries(headers).flat(),
  );
}

/** Runs a handler under the request's idempotency key, if it has one. */
async function runIdempotent(
  idempotency: Idempotency,
  { definition, owner: { plugin } }: RouteRecord,
  { head, caller }: Exchange,
  body: unknown,
  handle: () => unknown,
): Promise<unknown> {
  const work = await idempotency.begin(
    head,
    definition.idempotencyHeaders
      ? [...DEFAULT_IDEMPOTENCY_HEADERS, ...definition.idempotencyHeaders]
      : DEFAULT_IDEMPOTENCY_HEADERS,
    `${definition.method} ${head.path} ${caller?.sessionId ?? ""}`,
    body,
  );
  if (!work) return handle();
  const unit: WorkUnit = { carried: work.carried };
  return runInContext({ plugin, requestId: head.requestId, unit }, () =>
    work.run(async () => {
      try {
        return await handle();
      } finally {
        // A write that the handler set off and did not wait for must not claim the key again, once it has its answer.
        unit.carried = undefined;
      }
    }),
  );
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null)?.then === "function";
}

/** What does not have the shape of an id is unknown, and nothing is looked up for it. */
function checkParameters({ definition }: RouteRecord, head: Head): void {
  for (const [name, parameter] of Object.entries(definition.params ?? {})) {
    const value = head.params[name] ?? "";
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
  head: Head,
  clock: Clock,
): Promise<object | Uint8Array | undefined> {
  const deadline =
    access === "self"
      ? (late: () => void) => clock.after(OUTSIDER_BODY_MS, late)
      : undefined;
  if (schema === "bytes") return readBytesBody(head, limit, deadline);
  const dataKeys = schema && (() => dataKeysOf(schema));
  const json = await readJsonBody(head, limit, deadline, dataKeys);
  if (schema) return (await validate(schema, json, "body")) as object;
  refuseFields(json);
  return undefined;
}

function noQuery(head: Head): object {
  if (!head.message.url?.includes("?")) return NO_QUERY;
  const [name] = head.search.keys();
  if (name === undefined) return NO_QUERY;
  const path = name.slice(0, 64);
  throw errors.INPUT_INVALID(
    { part: "query", summary: `"${path}": unknown parameter` },
    { errors: [{ path, message: "unknown parameter" }] },
  );
}

function answerStream(
  { clock, connections, logOf }: DispatchHost,
  { owner }: RouteRecord,
  { head, response, caller }: Exchange,
  answer: EventStreamAnswer,
): void {
  // The session may have been revoked while the handler ran.
  if (!connections.isCurrent(caller)) throw errors.AUTH_NOT_PAIRED();
  setSecurityHeaders(response, head.requestId);
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Proxies that collect an answer before they pass it on would hold every event back.
    "x-accel-buffering": "no",
  });
  if (head.method === "HEAD") return void response.end();
  const stream = openStream(response, clock, owner.plugin);
  if (stream.signal.aborted) return;
  const remove = connections.add({
    caller,
    plugin: owner.plugin,
    end(reason) {
      if (reason === "stopping") stream.send({ event: "bye", data: {} });
      stream.close();
      // A client that does not read would hold its stream open for ever.
      setTimeout(() => response.destroy(), CLOSE_TIMEOUT_MS).unref();
    },
  });
  stream.signal.addEventListener("abort", remove);
  response.flushHeaders();
  void runInContext(
    { plugin: owner.plugin, requestId: head.requestId },
    async () => {
      try {
        await answer.open(stream);
      } catch (error) {
        if (!stream.signal.aborted)
          logOf(owner.plugin).error(
            "Stream failed",
            { requestId: head.requestId },
            error,
          );
        stream.close();
      }
    },
  );
}
