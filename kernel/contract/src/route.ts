import type { ErrorExtras, GantryError } from "./errors.ts";
import type { PlaceholderName } from "./placeholder-name.ts";
import type { Schema } from "./schema.ts";
import type { BytesAnswer, EventStreamAnswer } from "./answer.ts";

/** Methods that a route may have. HEAD follows from GET. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The paired caller of a request. */
export interface Caller {
  /** Id of the session, `ses_…`. */
  readonly sessionId: string;
  /** `token` is the install token of the user's own command line. */
  readonly kind: "browser" | "token";
}

/** Values of the parameters in a path, decoded: `{ readonly id: string }` for `/api/notes/{id}`. */
export type PathParameters<Path extends string = string> = {
  readonly [Name in PlaceholderName<Path>]: string;
};

/** The part of a request that is known before its body is read. */
export interface RequestHead<Parameters = PathParameters> {
  /** In upper case, such as `POST`. */
  readonly method: string;
  /** Values of the parameters in the path by their names, decoded. */
  readonly params: Parameters;
  /** Raw query parameters as sent, in order. */
  readonly search: URLSearchParams;
  /** The value of a header, or `undefined` if it was not sent. Lower-case names. A repeated header is joined. */
  header(name: string): string | undefined;
  /** How often a header was sent. */
  headerCount(name: string): number;
  /** Address of the peer; a forwarded one only from a trusted proxy. */
  readonly remoteAddress: string;
  /** The `x-request-id` of the response, which is in each line of the log about this request. */
  readonly requestId: string;
}

/** What a handler gets: everything checked. */
export interface RouteRequest<
  Query = unknown,
  Body = unknown,
  Parameters = PathParameters,
> extends RequestHead<Parameters> {
  /** The query as its schema returned it; `{}` without a schema. */
  readonly query: Query;
  /** The body as its schema returned it, the bytes for `"bytes"`; `undefined` without a schema. */
  readonly body: Body;
  /** The paired caller; `undefined` only on routes with `access: "self"`. */
  readonly caller: Caller | undefined;
  /** The revision in `If-Match`, if one was sent. */
  readonly ifMatch: number | undefined;
  /** Aborts when the client leaves or the plugin stops. */
  readonly signal: AbortSignal;
}

/** Makes the error for an unknown id. */
export type MissingError = (
  values: { readonly id: string },
  extras?: ErrorExtras,
) => GantryError;

/**
 * Says that a path parameter is an id: one that `createIdentifier` made with this prefix, such as `agt`, or one that people
 * or plugins choose, which this pattern fits. A value of another shape is `missing` before the body is read.
 */
export type IdentifierParameter = ({ prefix: string } | { pattern: RegExp }) & {
  /** The plugin's not-found error, called with `{ id }`. */
  missing: MissingError;
};

/** Those parameters of a path that are ids. */
type IdentifierParameters<Path extends string> = string extends Path
  ? Record<string, IdentifierParameter>
  : { readonly [Name in PlaceholderName<Path>]?: IdentifierParameter };

/** The body of a route that takes bytes of any media type instead of a JSON object. */
export type BytesBody = "bytes";

/** What a body of bytes is, for the reference. */
export interface BodyFormat {
  /** Such as `application/x-ndjson`. */
  mediaType: string;
  /** What the bytes hold, in Markdown. */
  description?: string;
  /** Schema of each line, for JSON Lines. */
  lines?: Schema;
}

/** Schema of a JSON answer, or the kind of an answer that is not JSON. */
export type ReturnsDefinition = Schema | "bytes" | "event-stream";

/** The type that a handler gives back for a `returns`. */
export type AnswerOf<Returns> =
  Returns extends Schema<infer Output>
    ? Output
    : Returns extends "event-stream"
      ? EventStreamAnswer
      : BytesAnswer;

type QueryOf<Query> =
  Query extends Schema<infer Output> ? Output : Record<string, never>;
type BodyOf<Body> =
  Body extends Schema<infer Output>
    ? Output
    : Body extends BytesBody
      ? Uint8Array
      : undefined;

/** One operation of the HTTP API: how it is checked, documented and answered. */
export interface RouteDefinition<
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | BytesBody | undefined = Schema | BytesBody | undefined,
  Returns extends ReturnsDefinition = ReturnsDefinition,
  Path extends string = string,
> {
  /** GET answers HEAD too. Another method on a known path is answered with 405. */
  method: Method;
  /**
   * Full path with parameters in braces: `/api/notes/{id}`. Must lie under one of the plugin's mounts. The handler gets these
   * parameters and no others, by type too unless the path is computed.
   */
  path: Path;
  /** A few words for the reference: what it does. */
  summary: string;
  /** More for the reference, in Markdown. */
  description?: string;
  /**
   * Who may call. `session`: a paired caller. `self`: no session is needed and {@link authorize} decides by a
   * credential of its own; such a route is exempt from the Origin check, never from the Host check.
   */
  access: "session" | "self";
  /**
   * For `access: "self"`: throws the plugin's 401 unless the credential is right. Runs before any byte of the body is
   * read, and for a wrong method too, so that an unauthenticated client learns nothing from a 405.
   */
  authorize?(
    head: RequestHead<PathParameters<NoInfer<Path>>>,
  ): void | Promise<void>;
  /**
   * For `access: "self"`: called once for each request that {@link authorize} let pass, with the error that it was
   * answered with, `undefined` for none. For a record of calls: a body that is too large never comes to {@link handle}.
   * A fault in it changes nothing of the answer.
   */
  settled?(
    head: RequestHead<PathParameters<NoInfer<Path>>>,
    error: unknown,
  ): void;
  /**
   * For `access: "self"`: it is called from outside of this machine, and served as well under names that the
   * configuration has for webhooks alone. Nothing else is.
   */
  isWebhook?: boolean;
  /** Path parameters that are ids. */
  params?: IdentifierParameters<NoInfer<Path>>;
  /** Schema of the query; must be strict. Values arrive as strings, a parameter sent twice is refused. */
  query?: Query;
  /** Schema of the JSON body, which must be strict; or `"bytes"`. An absent JSON body is `{}`. */
  body?: Body;
  /** For a body of `"bytes"`: what is to be sent, for the reference. The handler checks it. */
  bodyFormat?: BodyFormat;
  /** Largest body in bytes; 1 MiB unless said. */
  maxBody?: number;
  /**
   * Honour `Idempotency-Key`: the same key gives the same answer and no second effect for 24 hours. The first write of the
   * handler is its effect; what it has to write before goes into `ctx.prepare`.
   */
  idempotent?: boolean;
  /** Further headers that count as an idempotency key, such as `x-github-delivery`. */
  idempotencyHeaders?: readonly string[];
  /** Schema of the JSON answer, which is documented from it; or `"bytes"` or `"event-stream"`. */
  returns: Returns;
  /** Codes of the errors that this operation answers, for the reference. */
  errors?: readonly string[];
  /** Answers a checked request. Throws errors of the plugin's table; anything else becomes a 500 with a request id only. */
  handle(
    request: RouteRequest<
      QueryOf<Query>,
      BodyOf<Body>,
      PathParameters<NoInfer<Path>>
    >,
  ): AnswerOf<Returns> | Promise<AnswerOf<Returns>>;
}

/**
 * Declares a route with its types inferred from its schemas and its path. It does nothing until `ctx.route` registers it.
 *
 * @example
 * export const listNotes = (notes: Notes) =>
 *   defineRoute({
 *     method: "GET", path: "/api/notes", summary: "All notes", access: "session",
 *     query: listQuery, returns: pageOf(Note),
 *     handle: ({ query }) => notes.list(query),
 *   });
 */
export function defineRoute<
  Returns extends ReturnsDefinition,
  Query extends Schema | undefined = undefined,
  Body extends Schema | BytesBody | undefined = undefined,
  const Path extends string = string,
>(definition: RouteDefinition<Query, Body, Returns, Path>): RouteDefinition {
  // The registry only ever hands a handler what its own schemas gave, so forgetting the types here is sound.
  return definition as unknown as RouteDefinition;
}
