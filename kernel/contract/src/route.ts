import type { ErrorExtras, GantryError } from "./errors.ts";
import type { Schema } from "./schema.ts";
import type { BytesAnswer, EventStreamAnswer } from "./answer.ts";
import type { PathParameterNames, PathParameters } from "./path.ts";

/** Methods of a route. A GET route also answers HEAD. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The paired caller of a request. */
export interface Caller {
  /** Id of the session, `ses_…`. */
  readonly sessionId: string;
  /** `token`: the install token, as the user's own scripts and the command line use it. */
  readonly kind: "browser" | "token";
}

/** The part of a request that is known before its body is read. */
export interface RequestHead<Params = Readonly<Record<string, string>>> {
  readonly method: string;
  /** Parameters of the path, decoded. */
  readonly params: Params;
  /** Raw query parameters as sent, in order. */
  readonly search: URLSearchParams;
  /** Returns a header by its lower-case name; `undefined` if it was not sent. The values of a repeated header are joined. */
  header(name: string): string | undefined;
  /** Returns how many times a header was sent. */
  headerCount(name: string): number;
  /** Address of the client; a forwarded address is used only if it is from a trusted proxy. */
  readonly remoteAddress: string;
  readonly requestId: string;
}

/** A validated request, as a handler receives it. */
export interface RouteRequest<
  Query = unknown,
  Body = unknown,
  Params = Readonly<Record<string, string>>,
> extends RequestHead<Params> {
  readonly query: Query;
  readonly body: Body;
  /** The paired caller; `undefined` only on routes with `access: "self"`. */
  readonly caller: Caller | undefined;
  /** The revision in `If-Match`; `undefined` if it was not sent. */
  readonly ifMatch: number | undefined;
  /** Aborts when the client disconnects or the plugin stops. */
  readonly signal: AbortSignal;
}

/** Creates the error for an unknown id: an error whose only placeholder is `{id}`. */
export type MissingError = (
  values: { readonly id: string },
  extras?: ErrorExtras,
) => GantryError;

/**
 * Declares a path parameter as an id: one of `createIdentifier` with this prefix, such as `agt`, or one that matches this pattern.
 * Any other value is answered with `missing` before the body is read.
 */
export type IdentifierParameter = ({ prefix: string } | { pattern: RegExp }) & {
  /** The plugin's not-found error. */
  missing: MissingError;
};

/** Marks a route that takes bytes of any media type instead of a JSON object. */
export type BytesBody = "bytes";

/** Describes a body of bytes, for the reference. */
export interface BodyFormat {
  /** Such as `application/x-ndjson`. */
  mediaType: string;
  description?: string;
  /** Schema of each line, for JSON Lines. */
  lines?: Schema;
}

/** Schema of a JSON answer, or the kind of any other answer. */
export type ReturnsDefinition = Schema | "bytes" | "event-stream";

/** The type that a handler returns for a `returns`. */
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

/** An operation of the HTTP API: its access, validation, documentation and handler. */
export interface RouteDefinition<
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | BytesBody | undefined = Schema | BytesBody | undefined,
  Returns extends ReturnsDefinition = ReturnsDefinition,
  Path extends string = string,
> {
  method: Method;
  /** Full path with parameters in braces: `/api/notes/{id}`. Must be under one of the plugin's mounts. */
  path: Path;
  /** A few words for the reference: what it does. */
  summary: string;
  /** More for the reference, in Markdown. */
  description?: string;
  /**
   * Who may call.
   *
   * - `session`: a paired caller, checked by the kernel
   * - `self`: {@link authorize} checks a credential of the plugin's own. The Origin check is skipped, the Host check is not.
   */
  access: "session" | "self";
  /**
   * For `access: "self"`: throws the plugin's 401 unless the credential is valid. Runs before the body is read, and also for a
   * method that the path does not have, so that a 405 reveals nothing to an unauthenticated client.
   */
  authorize?(head: RequestHead<PathParameters<Path>>): void | Promise<void>;
  /**
   * For `access: "self"`: the route is called from outside this machine. Only such routes are served on the host names that
   * the configuration reserves for webhooks.
   */
  isWebhook?: boolean;
  /** Path parameters that are ids, by name. */
  params?: string extends Path
    ? Readonly<Record<string, IdentifierParameter>>
    : { readonly [Name in PathParameterNames<Path>]?: IdentifierParameter };
  /** Schema of the query; must be strict. Values are strings; a repeated parameter is rejected. */
  query?: Query;
  /** Schema of the JSON body, which must be strict; or `"bytes"`. A missing JSON body is read as `{}`. */
  body?: Body;
  /** For a body of `"bytes"`: what to send, for the reference. The handler validates it. */
  bodyFormat?: BodyFormat;
  /** Maximum size of the body in bytes; defaults to 1 MiB. */
  maxBody?: number;
  /**
   * Supports `Idempotency-Key`: for 24 hours a repeated key gets the same answer without a second effect. The first write of the
   * handler is its effect; anything to be written before belongs into `ctx.prepare`.
   */
  idempotent?: boolean;
  /** Additional headers that are accepted as an idempotency key, such as `x-github-delivery`. */
  idempotencyHeaders?: readonly string[];
  /** Schema of the JSON answer; `"bytes"` or `"event-stream"` for any other. */
  returns: Returns;
  /** Codes of the errors of this operation, for the reference. */
  errors?: readonly string[];
  /** Handles the request. Errors of an error table are sent to the client; anything else that is thrown becomes a 500. */
  handle(
    request: RouteRequest<QueryOf<Query>, BodyOf<Body>, PathParameters<Path>>,
  ): AnswerOf<Returns> | Promise<AnswerOf<Returns>>;
}

/**
 * Declares a route with types inferred from its path and its schemas: `/api/notes/{id}` gives `params.id`. Has no effect until
 * `ctx.route` registers it.
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
  Path extends string = string,
>(definition: RouteDefinition<Query, Body, Returns, Path>): RouteDefinition {
  // The registry passes a handler only values of its own path and schemas, so erasing the types here is sound.
  return definition as unknown as RouteDefinition;
}
