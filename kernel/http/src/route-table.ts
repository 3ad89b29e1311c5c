import type {
  Disposer,
  EventHandler,
  HandlerOptions,
  Method,
  RouteDefinition,
  Schema,
} from "@gantry/plugin";
import { toShape } from "./path-pattern.ts";

/** The owner of a registration, which tracks its work. */
export interface RouteOwner {
  readonly plugin: string;
  /** Tracks work, so that a stop waits for it. */
  follow<Result>(work: Promise<Result>): Promise<Result>;
  readonly signal: AbortSignal;
}

/** A registered operation. */
export interface RouteRecord {
  readonly definition: RouteDefinition;
  readonly owner: RouteOwner;
  /** The kernel's own operations that a browser needs before it is paired: no credential, but our Origin. */
  readonly isPublic?: boolean;
}

/** A plain handler of h3 that a plugin registered. */
export interface HandlerRecord {
  /** Path with parameters in braces, and `/**` at its end for everything below it. */
  readonly path: string;
  readonly handle: EventHandler;
  readonly options: HandlerOptions;
  readonly owner: RouteOwner;
}

/** Everything registered at one path: operations by method, or one plain handler. */
export interface PathEntry {
  readonly path: string;
  readonly methods: Map<Method, RouteRecord>;
  readonly handler?: HandlerRecord;
}

/** Adds and drops a path in the router. */
export interface PathRouter {
  add(path: string, entry: PathEntry): void;
  remove(path: string): void;
}

/** The table of all operations: what the gate reads, what the OpenAPI document is made from. */
export interface RouteTable {
  /** @throws TypeError if the definition is wrong, or its method and path are taken */
  addRoute(record: RouteRecord): Disposer;
  /** @throws TypeError if its access is wrong, or anything is registered at its path */
  addHandler(record: HandlerRecord): Disposer;
  /** All operations, by path and method. */
  routes(): RouteRecord[];
  /** Number of operations and plain handlers. */
  readonly size: number;
  /** Increases with each change, so that data derived from the table can be refreshed. */
  readonly version: number;
}

/** Creates a table that updates a router. A method and path can be registered only once, whichever plugin has it. */
export function createRouteTable(router: PathRouter): RouteTable {
  const entries = new Map<string, PathEntry>();
  let version = 0;

  function entryAt(path: string): PathEntry {
    const shape = toShape(path);
    let entry = entries.get(shape);
    if (!entry) {
      entry = { path, methods: new Map() };
      entries.set(shape, entry);
      router.add(path, entry);
    } else if (entry.path !== path) {
      throw new TypeError(
        `${path} and ${entry.path} are one address; use the same names for its parameters.`,
      );
    }
    return entry;
  }

  function dropIfEmpty(entry: PathEntry): void {
    version++;
    if (entry.methods.size > 0) return;
    entries.delete(toShape(entry.path));
    router.remove(entry.path);
  }

  const routes = () =>
    [...entries.values()].flatMap((entry) => [...entry.methods.values()]);

  return {
    get version() {
      return version;
    },
    addRoute(record) {
      const { method, path } = record.definition;
      checkDefinition(record.definition);
      const entry = entryAt(path);
      const taken = entry.handler ?? entry.methods.get(method);
      if (taken)
        throw new TypeError(
          `${method} ${path} is already registered by "${taken.owner.plugin}".`,
        );
      entry.methods.set(method, record);
      version++;
      return () => {
        if (entry.methods.get(method) !== record) return;
        entry.methods.delete(method);
        dropIfEmpty(entry);
      };
    },
    addHandler(handler) {
      const { path, options } = handler;
      checkAccess(`The handler ${path}`, options.access, options.authorize);
      const shape = toShape(path);
      const taken = entries.get(shape);
      if (taken)
        throw new TypeError(
          `${path} is already registered by "${ownerOf(taken)}".`,
        );
      const entry: PathEntry = { path, methods: new Map(), handler };
      entries.set(shape, entry);
      router.add(path, entry);
      return () => {
        if (entries.get(shape) === entry) dropIfEmpty(entry);
      };
    },
    routes,
    get size() {
      const handlers = [...entries.values()].filter(({ handler }) => handler);
      return routes().length + handlers.length;
    },
  };
}

function ownerOf({ handler, methods }: PathEntry): string | undefined {
  return (handler ?? [...methods.values()][0])?.owner.plugin;
}

/** Throws for a mistake in a definition when it is registered, not at the first request. */
function checkDefinition({
  method,
  path,
  access,
  authorize,
  body,
  query,
}: RouteDefinition): void {
  const where = `${method} ${path}`;
  checkAccess(where, access, authorize);
  if (method === "GET" && body)
    throw new TypeError(`${where} cannot have a body.`);
  if (body && body !== "bytes") checkStrict(body, `${where}: its body`);
  if (query) checkStrict(query, `${where}: its query`);
}

/** Throws for a route without `access`, so that none is public by accident. */
export function checkAccess(
  where: string,
  access: unknown,
  authorize: unknown,
): void {
  if (access !== "session" && access !== "self")
    throw new TypeError(`${where} must say its access: "session" or "self".`);
  if (access === "self" && !authorize)
    throw new TypeError(
      `${where} has access "self" and no authorize function.`,
    );
}

/** Throws for a schema that allows unknown fields: a misspelt one would be dropped silently. */
function checkStrict(schema: Schema, what: string): void {
  if (isStrictObject(schema)) return;
  const json = schema["~standard"].jsonSchema.input({
    target: "draft-2020-12",
  }) as Record<string, unknown>;
  for (const part of (json.oneOf ?? json.anyOf ?? [json]) as Record<
    string,
    unknown
  >[]) {
    const defs = json.$defs as
      Record<string, Record<string, unknown>> | undefined;
    const reference =
      typeof part.$ref === "string"
        ? part.$ref.replace("#/$defs/", "")
        : undefined;
    const target = reference ? (defs?.[reference] ?? part) : part;
    if (target.additionalProperties !== false)
      throw new TypeError(`${what} must be a strict object schema.`);
  }
}

/**
 * Whether a zod schema is a strict object. Most schemas are, and converting all of them to JSON Schema would take a tenth of a
 * start.
 */
function isStrictObject(schema: Schema): boolean {
  const def = definitionOf(schema);
  return def?.type === "object" && definitionOf(def.catchall)?.type === "never";
}

interface ZodDefinition {
  type?: unknown;
  catchall?: unknown;
}

function definitionOf(schema: unknown): ZodDefinition | undefined {
  return (schema as { _zod?: { def?: ZodDefinition } } | undefined)?._zod?.def;
}
