import type { Socket } from "node:net";
import type { Clock, Disposer } from "./clock.ts";
import type { ConnectOptions } from "./connect.ts";
import type { ContentDefinition } from "./content.ts";
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
import type { Git } from "./git.ts";
import type { EventHandler, HandlerOptions } from "./handler.ts";
import type { Log, LogFields } from "./log.ts";
import type { OutboundFetch } from "./outbound.ts";
import type { Run } from "./process.ts";
import type { RouteDefinition } from "./route.ts";
import type { Schema, SchemaOutput } from "./schema.ts";
import type { ServiceOf, ServiceToken } from "./service.ts";
import type { SocketDefinition } from "./socket.ts";
import type { Store } from "./store.ts";
import type { WholeHome } from "./whole-home.ts";

/** Service tokens by a name that the plugin chooses. */
export type ServiceTokens = Readonly<Record<string, ServiceToken<unknown>>>;

/** The services of {@link ServiceTokens}, under the same names. */
export type ServicesOf<Tokens extends ServiceTokens> = {
  readonly [Name in keyof Tokens]: ServiceOf<Tokens[Name]>;
};

/** Optional services, looked up at each call, since a service may come and go. */
export type OptionalServicesOf<Tokens extends ServiceTokens> = {
  readonly [Name in keyof Tokens]: () => ServiceOf<Tokens[Name]> | undefined;
};

/** Options of `ctx.on`. */
export interface ListenOptions {
  /**
   * Name of a persistent cursor in the event log. Events that were stored while the plugin was stopped are delivered after its
   * start, in order and one at a time. The first batch that the listener writes outside of {@link PluginContext.prepare} also
   * advances the cursor, so that each event has its effect exactly once, even after a crash.
   */
  durable?: string;
}

/** The plugin that called a service. */
export interface ServiceCaller {
  /** Id of the plugin. */
  readonly plugin: string;
  /** Runs a callback of this plugin as its own code: an unhandled rejection is attributed to this plugin. */
  run<Result>(callback: () => Result): Result;
}

/** Options of `ctx.audit`. */
export interface AuditOptions {
  /**
   * For actions that are unauthenticated and unlimited, such as a refused call: the first within a minute is written, the others
   * become one line with their count. Nothing is awaited.
   */
  summed?: boolean;
}

/**
 * The plugin's interface to the daemon. All registrations belong to the plugin and are removed when it stops, newest first. Using
 * it after the stop throws `PLUGIN_STOPPED`.
 */
export interface PluginContext<
  Config = unknown,
  Needs extends ServiceTokens = ServiceTokens,
  Wants extends ServiceTokens = ServiceTokens,
> {
  /** The plugin's settings, validated by the schema in `config`. */
  readonly config: Config;
  /** The services in `needs`; they outlive this plugin. */
  readonly needs: ServicesOf<Needs>;
  /** The services in `wants`, as functions to be called at each use. */
  readonly wants: OptionalServicesOf<Wants>;
  /** The plugin's part of the store. */
  readonly store: Store;
  /** The daemon's clock, the only way to read the time or wait. */
  readonly clock: Clock;
  /** The daemon's log. */
  readonly log: Log;
  /** Starts child processes. */
  readonly run: Run;
  /** Reads git repositories. Plugins have no other way to run git. */
  readonly git: Git;
  /** Sends requests to other machines, with limits; see {@link OutboundFetch}. */
  readonly fetch: OutboundFetch;
  /**
   * Opens a TCP connection to another machine within 10 s. The host is looked up once, and only addresses that were checked
   * are connected to. The connection is closed when the plugin stops. Its `error` events need no handler: listen to `close`.
   *
   * @throws `OUTBOUND_REFUSED` (400) for link-local and metadata addresses, the daemon's own ports and names, and addresses
   *   that `judge` refuses; the signal's reason; the network error
   */
  readonly connect: (options: ConnectOptions) => Promise<Socket>;
  /** Aborts when the plugin begins to stop. Pass it to anything that waits. */
  readonly signal: AbortSignal;

  /** Registers an operation of the HTTP API. Throws a TypeError if its path is outside the plugin's mounts or already taken. */
  route(definition: RouteDefinition): Disposer;
  /** Registers a WebSocket endpoint, with the same conditions as {@link route}. */
  socket<Path extends string>(definition: SocketDefinition<Path>): Disposer;
  /**
   * Serves pages or files at an address outside of `/api`. Throws if it is outside the plugin's mounts or already taken.
   */
  content(definition: ContentDefinition): Disposer;
  /**
   * Registers a plain handler of h3 2 behind the gate, for what a route cannot express: a proxy, static files, an answer
   * that streams. It is not part of the OpenAPI document, and nothing but its access, method and body size is checked.
   *
   * - Answers carry the daemon's security headers, `cache-control: no-store` and `content-security-policy: sandbox`. A
   *   handler may set a `cache-control` of its own; a policy of its own is sent beside that one, unless it sandboxes the
   *   page itself, without `allow-same-origin`.
   * - Headers that act on the daemon's whole origin, such as `set-cookie` and `access-control-allow-origin`, are not sent.
   * - The request comes without cookies and, with access `session`, without `authorization`, so that a proxy does not
   *   forward credentials of the daemon.
   * - An `HTTPError` of h3 is answered as h3 does it, an error of the plugin's table as a problem, anything else with
   *   `KERNEL_FAULT`.
   * - An answer that is still being sent is cut off when its session or the plugin ends.
   *
   * @param path Full path under one of the plugin's mounts with parameters in braces; `/**` at its end stands for
   *   everything below it. A route with a more precise path takes precedence.
   * @throws TypeError if the path is outside the plugin's mounts or already taken
   * @example
   * ctx.handler("/api/notes/archive/**", (event: H3Event) => proxy(event, archiveUrl), { access: "session" });
   */
  handler(
    path: string,
    handler: EventHandler,
    options: HandlerOptions,
  ): Disposer;
  /**
   * Runs work that prepares the effect of a request or a durable event, such as starting the program that handles a message.
   * The effect is the first write outside of `prepare`: it also claims the request's `Idempotency-Key` or advances the
   * listener's cursor. A request that fails or is interrupted before its effect may therefore be sent again with the same
   * key. Everything that `work` awaits, calls in other plugins or leaves running counts as preparation.
   */
  prepare<Result>(work: () => Result): Result;
  /** Stores events that accompany no change of a record. Put all others into the batch of their change. */
  emit(...events: NewEvent[]): Promise<void>;
  /**
   * Writes an entry with the plugin's id into the daemon's audit log: a secret was created, a caller was refused, a folder was
   * trusted. Use events for other changes and the log for diagnostics. Await it before answering the request: it resolves
   * once the entry is on disk. It does not reject if the audit log cannot be written.
   *
   * @param action `area.past-tense`, such as `notes.secret-created`. Rejects with a TypeError for any other form.
   * @param details At most 16 short values, never a secret; text is truncated at 256 characters.
   */
  audit(
    action: string,
    details?: LogFields,
    options?: AuditOptions,
  ): Promise<void>;
  /** Calls the listener for each event after it is stored. An error of the listener is logged and affects no other listener. */
  on<Data>(
    token: EventToken<Data>,
    listener: (event: EventRecord<Data>) => void | Promise<void>,
    options?: ListenOptions,
  ): Disposer;
  /** The stored events of all plugins, to be read from a position and followed. */
  readonly eventLog: EventLog;
  /** Runs a job at the times of a five-field cron line. A run is skipped while the previous one is in progress. */
  cron(
    line: string,
    job: (signal: AbortSignal) => void | Promise<void>,
    options: { timezone: string },
  ): Disposer;
  /**
   * Calls `work` each time a service in `wants` becomes available, and immediately if it is available now. Use it to register
   * something with another plugin. `gone` aborts when the service is withdrawn or this plugin stops. An error of `work` is
   * logged.
   */
  onService<Service>(
    token: ServiceToken<Service>,
    work: (service: Service, gone: AbortSignal) => void | Promise<void>,
  ): Disposer;
  /**
   * Calls `work` once the daemon has started all plugins that it can, and immediately if it already has. For decisions that
   * depend on which services are missing. An error of `work` is logged. It is not called if the plugin stops first.
   */
  whenStarted(work: () => void | Promise<void>): Disposer;
  /**
   * Registers a check that runs for each report of the doctor. It returns at most 20 findings with texts of at most 500
   * characters, within 1 s. If it throws, takes longer or returns anything else, the report has the finding
   * `PLUGIN_CHECK_FAILED`.
   */
  diagnose(
    check: () => readonly Finding[] | Promise<readonly Finding[]>,
  ): Disposer;
  /** Provides one of the services in `provides`. */
  provide<Service>(token: ServiceToken<Service>, service: Service): Disposer;
  /**
   * Returns the plugin that is calling a service, or a callback, of this plugin; `undefined` outside of such a call. For a
   * service that keeps callbacks, such as a registry.
   */
  caller(): ServiceCaller | undefined;
  /** Registers a cleanup function for something that was started without `ctx`. It is called when the plugin stops. */
  own(dispose: () => void | Promise<void>): Disposer;
  /** Path of the daemon's home, for files that belong to the user and outlive the plugin, such as work folders. */
  readonly home: string;
  /**
   * Origin of the pages, for links that are used outside the daemon: the public address if one is configured, otherwise the
   * local one. Such as `https://gantry.example.org`, without a trailing slash.
   */
  readonly origin: string;
  /**
   * Origin of the daemon for programs that the plugin starts on this machine, such as `http://127.0.0.1:7420`. They have no
   * session, so their routes need `access: "self"`.
   */
  readonly localOrigin: string;
  /** Returns the folder of the plugin's files (mode 0700), created at the first call. Deleted when the plugin is removed. */
  folder(): Promise<string>;
  /**
   * Returns the folder of files that are specific to this machine, such as a browser profile (mode 0700), created at the first
   * call. Not part of backups. Deleted when the plugin is removed.
   */
  machineFolder(): Promise<string>;
  /**
   * Returns the folder of files that can be created again (mode 0700), created at the first call. It may be emptied while the
   * daemon is not running. Not part of backups. Deleted when the plugin is removed.
   */
  cacheFolder(): Promise<string>;
  /** The home of all plugins, for a plugin that backs it up and restores it. */
  readonly wholeHome: WholeHome;
  /** Processes, plugins and log of the daemon. */
  readonly daemon: DaemonView;
}

/** Definition of a plugin: plain data and `setup`. */
export interface PluginDefinition<
  ConfigSchema extends Schema | undefined = Schema | undefined,
  Needs extends ServiceTokens = ServiceTokens,
  Wants extends ServiceTokens = ServiceTokens,
> {
  /** Kebab-case. Used as prefix in the store, name in the log and tag in the OpenAPI document. */
  id: string;
  /** Major version of this contract. */
  api: 1;
  /** One sentence for the page of plugins. */
  summary: string;
  /**
   * Path prefixes that this plugin owns: of operations and sockets, such as `/api/notes`, and of content, such as
   * `/content/notes`. They must not overlap with those of another plugin, unless that plugin delegates the path:
   * `/api/notes/{id}/comments` is then a mount for a part of each note. A plugin with such a mount needs a service of the
   * plugin that delegates it. A plugin that is delivered with the daemon may own other paths for content, and `/` for all
   * addresses that no other mount has.
   */
  mounts: readonly string[];
  /**
   * Paths below the plugin's own mounts that another plugin may have as a mount, such as `/api/notes/{id}/comments`. The
   * plugin itself registers nothing at them.
   */
  delegates?: readonly string[];
  /** Schema of the plugin's settings, `settings.<id>` in the configuration. With invalid settings the plugin is `failed`. */
  config?: ConfigSchema;
  /** Required services. The plugin waits while one is missing, and is stopped before one is withdrawn. */
  needs?: Needs;
  /** Optional services. */
  wants?: Wants;
  /** Services that it provides. One that `setup` does not provide makes the plugin `failed`. */
  provides?: readonly ServiceToken<unknown>[];
  /** Events that it emits. An event type belongs to one plugin. */
  events?: readonly EventDescription[];
  /** The plugin's error table, for the reference. */
  errors?: { readonly definitions: Readonly<Record<string, ErrorDefinition>> };
  /** Registers everything, within 10 s. If it throws, all its registrations are removed and the plugin is `failed`. */
  setup(
    ctx: PluginContext<
      ConfigSchema extends Schema ? SchemaOutput<ConfigSchema> : undefined,
      Needs,
      Wants
    >,
  ): void | Promise<void>;
}

/**
 * Declares a plugin, with types inferred from its settings and services. Has no side effects.
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
  // The kernel calls `setup` with values of these tokens and this schema, so erasing the types is sound.
  return definition as unknown as PluginDefinition;
}
