import type {
  Disposer,
  Method,
  RouteDefinition,
  Schema,
  SocketDefinition,
} from "@gantry/plugin";
import { toShape } from "./path-pattern.ts";

/** Who a registration belongs to and how its work is followed. */
export interface RouteOwner {
  readonly plugin: string;
  /** Counts work that a stop waits for. */
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

/** A registered WebSocket endpoint. */
export interface SocketRecord {
  readonly definition: SocketDefinition;
  readonly owner: RouteOwner;
}

/** Everything registered at one path. */
export interface PathEntry {
  readonly path: string;
  readonly methods: Map<Method, RouteRecord>;
  /** What an upgrade opens. */
  socket: SocketRecord | undefined;
}

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

/** Adds and drops a path in the router. */
export interface PathRouter {
  add(path: string, entry: PathEntry): void;
  remove(path: string): void;
}

/** The table of all operations and sockets: what the gate reads, what the OpenAPI document is made from. */
export interface RouteTable {
  addRoute(record: RouteRecord): Disposer;
  addSocket(record: SocketRecord): Disposer;
  /** All operations, by path and method. */
  routes(): RouteRecord[];
  sockets(): SocketRecord[];
  /** Rises with each change, so that what is made from the table knows when it is stale. */
  readonly version: number;
}

/** Makes a table that keeps a router in step. A method and path that is taken is refused, whoever has it. */
export function createRouteTable(router: PathRouter): RouteTable {
  const entries = new Map<string, PathEntry>();
  let version = 0;

  function entryAt(path: string): PathEntry {
    const shape = toShape(path);
    let entry = entries.get(shape);
    if (!entry) {
      entry = { path, methods: new Map(), socket: undefined };
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
    if (entry.methods.size > 0 || entry.socket) return;
    entries.delete(toShape(entry.path));
    router.remove(entry.path);
  }

  return {
    get version() {
      return version;
    },
    addRoute(record) {
      const { method, path } = record.definition;
      checkDefinition(record.definition);
      const entry = entryAt(path);
      const taken = entry.methods.get(method);
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
    addSocket(record) {
      const { path, access, authorize } = record.definition;
      checkAccess(`The socket ${path}`, access, authorize);
      const taken = entries.get(toShape(path))?.socket;
      if (taken)
        throw new TypeError(
          `The socket ${path} is already registered by "${taken.owner.plugin}".`,
        );
      const entry = entryAt(path);
      entry.socket = record;
      version++;
      return () => {
        if (entry.socket !== record) return;
        entry.socket = undefined;
        dropIfEmpty(entry);
      };
    },
    routes: () =>
      [...entries.values()].flatMap((entry) => [...entry.methods.values()]),
    sockets: () => [...entries.values()].flatMap(({ socket }) => socket ?? []),
  };
}

/** A mistake in a definition is found when it is registered, not when somebody calls. */
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

/** Nothing is open to everybody by a word that was forgotten. */
function checkAccess(where: string, access: unknown, authorize: unknown): void {
  if (access !== "session" && access !== "self")
    throw new TypeError(`${where} must say its access: "session" or "self".`);
  if (access === "self" && !authorize)
    throw new TypeError(
      `${where} has access "self" and no authorize function.`,
    );
}

/** Unknown fields must be refused, or a misspelt one would be lost without a word. */
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
 * Whether zod says so itself. Most schemas are of this kind, and to describe all of them in JSON Schema would be a tenth
 * of a start.
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
