import type { Socket } from "node:net";
import type { Clock, Disposer } from "./clock.ts";
import type { ConnectOptions } from "./connect.ts";
import type { DaemonView } from "./daemon-view.ts";
import type { ErrorDefinition } from "./errors.ts";
import type {
  EventDescription,
  EventRecord,
  EventToken,
  NewEvent,
} from "./event.ts";
import type { EventLog } from "./event-log.ts";
import type { Finding } from "./finding.ts";
import type { HandlerDefinition } from "./handler.ts";
import type { Log, LogFields } from "./log.ts";
import type { Run } from "./process.ts";
import type { RouteDefinition } from "./route.ts";
import type { Schema, SchemaOutput } from "./schema.ts";
import type { ServiceOf, ServiceToken } from "./service.ts";
import type { SocketDefinition } from "./socket.ts";
import type { Store } from "./store.ts";
import type { WholeHome } from "./whole-home.ts";

/** A named record of tokens. */
export type ServiceTokens = Readonly<Record<string, ServiceToken<unknown>>>;

/** Services under the names that the plugin gave them. */
export type ServicesOf<Tokens extends ServiceTokens> = {
  readonly [Name in keyof Tokens]: ServiceOf<Tokens[Name]>;
};

/** Services that may be missing, looked up at each call so that no plugin holds a stale one. */
export type OptionalServicesOf<Tokens extends ServiceTokens> = {
  readonly [Name in keyof Tokens]: () => ServiceOf<Tokens[Name]> | undefined;
};

/** How a listener takes events. */
export interface ListenOptions {
  /**
   * Name of a cursor in the log. Events that happened while the plugin was down are delivered when it is back, in
   * order and one after the other, and the first batch that the handler writes, other than to {@link
   * PluginContext.prepare}, also moves the cursor: so each event has its effect exactly once, also after a crash.
   */
  durable?: string;
}

/** The plugin that called a service. */
export interface ServiceCaller {
  /** Its id. */
  readonly plugin: string;
  /** Runs a callback of this plugin as its own code: a rejection that is not handled counts as this plugin's fault. */
  run<Result>(callback: () => Result): Result;
}

/** How an entry of the audit log is written. */
export interface AuditOptions {
  /**
   * For what is unauthenticated and unlimited, such as a refused call: the first of its kind within a minute
   * is written, the others become one line with their number, and nothing is waited for.
   */
  summed?: boolean;
}

/**
 * Everything that a plugin may do, and the only way to do it. What is registered here belongs to the plugin and is
 * taken back when it stops, newest first. Using it after the stop throws `PLUGIN_STOPPED`.
 */
export interface PluginContext<
  Config = unknown,
  Needs extends ServiceTokens = ServiceTokens,
  Wants extends ServiceTokens = ServiceTokens,
> {
  /** The plugin's settings as its `config` schema returned them; `undefined` without a schema. */
  readonly config: Config;
  /** The services in `needs`; they outlive this plugin. */
  readonly needs: ServicesOf<Needs>;
  /** The services in `wants`, as functions to be called at each use. */
  readonly wants: OptionalServicesOf<Wants>;
  /** Keys and collections that only this plugin reads and writes. */
  readonly store: Store;
  /** The time of the daemon, and timers that end with the plugin. */
  readonly clock: Clock;
  /** Writes lines to the daemon's log under the plugin's id. */
  readonly log: Log;
  /** Starts child processes, which end with the plugin. */
  readonly run: Run;
  /**
   * Sends an http or https request as the global `fetch` does, within these limits:
   *
   * - 10 s for the request and its whole answer.
   * - 64 KiB of the body: the rest is cut off without an error, and the connection is closed. Compare with `content-length`
   *   where the length matters.
   * - No redirects: the answer is the 3xx itself. No compression is asked for.
   *
   * It is aborted when the plugin stops, unless `init` has a signal.
   *
   * @throws `OUTBOUND_REFUSED` (400), before anything is sent, for another protocol, a user name in the address, link-local and
   *   metadata addresses, and the daemon itself; a `TimeoutError` after 10 s; the signal's reason; a TypeError whose `cause` is
   *   the network error
   */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /**
   * Opens a TCP connection within 10 s. The host is looked up once, and only addresses that were checked are connected to.
   * The connection is closed when the plugin stops. Its `error` events need no handler: listen to `close`.
   *
   * @throws `OUTBOUND_REFUSED` (400) for link-local and metadata addresses, the daemon's own ports and names, and
   *   addresses that `judge` refuses; the signal's reason; the network error
   */
  readonly connect: (options: ConnectOptions) => Promise<Socket>;
  /** Aborts when the plugin begins to stop. */
  readonly signal: AbortSignal;

  /** Registers an operation. Throws if its path is outside the plugin's mounts or already taken. */
  route(definition: RouteDefinition): Disposer;
  /** Registers a WebSocket endpoint, under the same rules. */
  socket<const Path extends string>(
    definition: SocketDefinition<Path>,
  ): Disposer;
  /** Registers a plain handler of h3, under the same rules. */
  handler(definition: HandlerDefinition): Disposer;
  /**
   * Runs work that only prepares the effect of a request or of a durable event, such as starting the program that takes a
   * message. The effect is the first write outside of it: that write also claims the request's `Idempotency-Key`, or moves
   * the listener's cursor. So a request that fails or is cut off before its effect may be sent again with the same key.
   * Everything that `work` awaits, calls in other plugins or leaves running counts as preparation.
   */
  prepare<Result>(work: () => Result): Result;
  /** Stores events that belong to no change of a record. */
  emit(...events: NewEvent[]): Promise<void>;
  /**
   * Writes a line into the daemon's audit log, under the plugin's name: that a secret was made, a caller refused, a
   * folder trusted. For what a user may want to know later about the cause of something; what merely happens is
   * an event, and what helps to find a fault belongs to the log. Await it before the act is answered: it resolves once
   * the line is on disk. A log that cannot be written rejects nothing.
   *
   * @param action `area.past-tense`, such as `notes.secret-made`. Rejects with a TypeError if it is not.
   * @param details At most 16 short values, never a secret; a text is cut at 256 characters.
   */
  audit(
    action: string,
    details?: LogFields,
    options?: AuditOptions,
  ): Promise<void>;
  /** What happened so far. */
  readonly events: EventLog;
  /** Listens to events after they are stored, {@link AnyEvent} to all of them. What a listener throws is logged and reaches no other code. */
  on<Data>(
    token: EventToken<Data>,
    listener: (event: EventRecord<Data>) => void | Promise<void>,
    options?: ListenOptions,
  ): Disposer;
  /** Runs a job at the times of a five-field cron line. A job that is still running is not started again. */
  cron(
    line: string,
    job: (signal: AbortSignal) => void | Promise<void>,
    options: { timezone: string },
  ): Disposer;
  /**
   * Runs something each time one of the services in `wants` is there: at once if it is, and whenever it comes. For what is
   * registered with another plugin. `gone` aborts when the service leaves, or this plugin stops. What `work` throws is
   * logged and reaches no other code.
   */
  whenThere<Service>(
    token: ServiceToken<Service>,
    work: (service: Service, gone: AbortSignal) => void | Promise<void>,
  ): Disposer;
  /**
   * Registers a check whose findings the doctor shows, at most 20 with texts of at most 500 characters. It runs
   * for each report and has 1 s; one that throws, takes longer or returns anything else becomes the finding
   * `PLUGIN_CHECK_FAILED`.
   */
  diagnose(
    check: () => readonly Finding[] | Promise<readonly Finding[]>,
  ): Disposer;
  /** Gives one of the services in `provides`. */
  provide<Service>(token: ServiceToken<Service>, service: Service): Disposer;
  /**
   * The plugin whose call is being answered, of a service or of a callback that was handed over: for a service that keeps what
   * it was given, such as a registry. `undefined` outside of such a call.
   */
  caller(): ServiceCaller | undefined;
  /** Ties something started elsewhere to this plugin: it is disposed when the plugin stops. */
  own(dispose: () => void | Promise<void>): Disposer;
  /** The daemon's home. For what belongs to the user and outlives the plugin, such as folders of work. */
  readonly home: string;
  /**
   * Where people find the pages, for links that leave the daemon: the public address if one is configured, else the one on
   * this machine. Such as `https://gantry.example.org`, with no slash at its end.
   */
  readonly origin: string;
  /**
   * Where a program that the plugin starts on this machine finds the daemon, such as `http://127.0.0.1:7420`. It has no
   * cookie there: such routes are `access: "self"`.
   */
  readonly localOrigin: string;
  /** A folder for the plugin's files (mode 0700), made at the first call. Removed with the plugin. */
  folder(): Promise<string>;
  /** The home with all that plugins keep there, for a plugin that copies it and brings it back. */
  readonly wholeHome: WholeHome;
  /** What the daemon runs and says. */
  readonly daemon: DaemonView;
}

/** A plugin: plain data plus `setup`. */
export interface PluginDefinition<
  ConfigSchema extends Schema | undefined = Schema | undefined,
  Needs extends ServiceTokens = ServiceTokens,
  Wants extends ServiceTokens = ServiceTokens,
> {
  /** Kebab-case. It is the storage prefix, the log name and the OpenAPI tag. */
  id: string;
  /** The version of this contract. */
  api: 1;
  /** One sentence for the plugins page. */
  summary: string;
  /** Path prefixes that belong to this plugin, such as `/api/notes`. Overlap with another plugin's is refused. */
  mounts: readonly string[];
  /** Schema of the plugin's section in the configuration. What does not fit makes the plugin `failed`. */
  config?: ConfigSchema;
  /** Services without which it cannot work: while one is missing it waits, and it stops before one leaves. */
  needs?: Needs;
  /** Services that it uses when they are there. */
  wants?: Wants;
  /** Services that it gives. */
  provides?: readonly ServiceToken<unknown>[];
  /** Events that it emits. No two plugins emit the same type. */
  events?: readonly EventDescription[];
  /** Its error table, for the reference. */
  errors?: { readonly definitions: Readonly<Record<string, ErrorDefinition>> };
  /** Registers everything. May take 10 s. What it registered before a throw is taken back. */
  setup(
    ctx: PluginContext<
      ConfigSchema extends Schema ? SchemaOutput<ConfigSchema> : undefined,
      Needs,
      Wants
    >,
  ): void | Promise<void>;
}

/**
 * Declares a plugin with its types inferred. It runs nothing.
 *
 * @example
 * export default definePlugin({
 *   id: "notes", api: 1, summary: "Short notes", mounts: ["/api/notes"],
 *   setup(ctx) {
 *     ctx.route(listNotes(ctx.store));
 *   },
 * });
 */
export function definePlugin<
  ConfigSchema extends Schema | undefined = undefined,
  Needs extends ServiceTokens = Record<never, never>,
  Wants extends ServiceTokens = Record<never, never>,
>(definition: PluginDefinition<ConfigSchema, Needs, Wants>): PluginDefinition {
  // The kernel calls `setup` with what these very tokens and this schema gave, so forgetting the types is sound.
  return definition as unknown as PluginDefinition;
}
