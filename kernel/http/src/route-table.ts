import type {
  Disposer,
  HandlerDefinition,
  Method,
  RouteDefinition,
  SocketDefinition,
} from "@gantry/plugin";
import { checkAccess, checkDefinition } from "./check-definition.ts";

/** Who a registration belongs to and how its work is followed. */
export interface RouteOwner {
  readonly plugin: string;
  /** Work that a stop waits for. */
  readonly inFlight: Set<Promise<unknown>>;
  readonly signal: AbortSignal;
  /** Whether it is a part of the daemon itself: the kernel, or a system plugin. */
  readonly isSystem?: boolean;
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

/** A registered handler of h3. */
export interface HandlerRecord {
  readonly definition: HandlerDefinition;
  readonly owner: RouteOwner;
}

/** Everything registered at one path. */
export interface PathEntry {
  readonly path: string;
  readonly methods: Map<Method, RouteRecord>;
  /** What an upgrade opens. */
  socket: SocketRecord | undefined;
  /** What answers every request, in place of operations. */
  handler: HandlerRecord | undefined;
}

/** Adds and drops a path in the router. */
export interface PathRouter {
  add(path: string, entry: PathEntry): void;
  remove(path: string): void;
}

/** The table of all operations and sockets, which the gate reads and plugins describe. */
export type RouteTable = ReturnType<typeof createRouteTable>;

/** Makes a table that keeps a router in step. A method and path that is taken is refused, whichever plugin has it. */
export function createRouteTable(router: PathRouter) {
  const entries = createEntries(router);
  return {
    /** Rises with each change, so that what is made from the table knows when it is stale. */
    get version() {
      return entries.version;
    },
    addRoute(record: RouteRecord): Disposer {
      const { method, path } = record.definition;
      checkDefinition(record.definition);
      const entry = entries.at(path);
      const { methods } = entry;
      refuse(`${method} ${path}`, methods.get(method) ?? entry.handler);
      methods.set(method, record);
      return entries.removable(entry, () => methods.delete(method));
    },
    addSocket(record: SocketRecord): Disposer {
      const { path, access, authorize } = record.definition;
      checkAccess(`The socket ${path}`, access, authorize);
      const { socket, handler } = entries.find(path) ?? {};
      refuse(`The socket ${path}`, socket ?? handler);
      const entry = entries.at(path);
      entry.socket = record;
      return entries.removable(entry, () => (entry.socket = undefined));
    },
    addHandler(record: HandlerRecord): Disposer {
      const { path, access } = record.definition;
      const isPublic = access === "public" && record.owner.isSystem;
      if (access !== "session" && !isPublic)
        throw new TypeError(
          `The handler ${path} must say its access: "session".`,
        );
      const entry = entries.at(path);
      const [operation] = entry.methods.values();
      refuse(path, entry.handler ?? entry.socket ?? operation);
      entry.handler = record;
      return entries.removable(entry, () => (entry.handler = undefined));
    },
    /** All operations, by path and method. */
    routes: () => entries.all().flatMap((entry) => [...entry.methods.values()]),
    sockets: () => entries.all().flatMap(({ socket }) => socket ?? []),
    handlers: () => entries.all().flatMap(({ handler }) => handler ?? []),
  };
}

/** Everything that is registered, by the shape of its path. */
function createEntries(router: PathRouter) {
  const entries = new Map<string, PathEntry>();
  let version = 0;
  return {
    get version() {
      return version;
    },
    all: () => [...entries.values()],
    find: (path: string) => entries.get(toShape(path)),
    /** The one at a path, made if there is none. */
    at(path: string): PathEntry {
      const shape = toShape(path);
      const known = entries.get(shape);
      if (known && known.path !== path)
        throw new TypeError(
          `${path} and ${known.path} are one address; use the same names for its parameters.`,
        );
      if (known) return known;
      const entry: PathEntry = {
        path,
        methods: new Map(),
        socket: undefined,
        handler: undefined,
      };
      entries.set(shape, entry);
      router.add(path, entry);
      return entry;
    },
    /** Counts a registration, and gives its undo. */
    removable(entry: PathEntry, remove: () => void): Disposer {
      version++;
      let isThere = true;
      return () => {
        if (!isThere) return;
        isThere = false;
        remove();
        version++;
        if (entry.methods.size > 0 || entry.socket || entry.handler) return;
        entries.delete(toShape(entry.path));
        router.remove(entry.path);
      };
    },
  };
}

/** Throws if an address is taken. `what` begins the sentence. */
function refuse(what: string, taken: { owner: RouteOwner } | undefined): void {
  if (taken)
    throw new TypeError(
      `${what} is already registered by "${taken.owner.plugin}".`,
    );
}

const PARAMETER = /\{(\w+)\}/g;

/** `/api/notes/{id}` as the routers of h3 and rou3 spell it. */
export function toPattern(path: string): string {
  return path.replace(PARAMETER, ":$1");
}

/** What two paths have in common that are one address: parameters of another name make no other. */
function toShape(path: string): string {
  return path.replace(PARAMETER, "{}");
}
