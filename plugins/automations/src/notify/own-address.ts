import type {
  Clock,
  RouteDefinition,
  Store,
  StoreOperation,
} from "@gantry/plugin";

/** Where the pages of this daemon are, as far as its own callers have shown. */
export interface OwnAddress {
  /** Page of an automation. `undefined` as long as nobody has called. */
  linkTo(automationId: string): string | undefined;
  /** What keeps it for the next daemon, to go with a write that has another reason: reading changes nothing on disk. */
  toKeep(): StoreOperation[];
  /** A route that learns from each paired caller under which address the daemon is reached. */
  learningFrom(route: RouteDefinition): RouteDefinition;
}

interface Known {
  /** On this machine. */
  local?: string;
  /** From elsewhere too; goes before the local one for as long as it is used. */
  open?: { origin: string; seenAt: string };
}

const KEY = "own-address";
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;

/**
 * The daemon has several names: its own on this machine, and the public one that the user gave it. Callers come by
 * those that work, and the gate has checked that each is ours.
 */
export async function openOwnAddress(
  store: Store,
  clock: Clock,
): Promise<OwnAddress> {
  let known: Known = (await store.get<Known>(KEY)) ?? {};

  /** The origin that a caller used, if its scheme is certain. */
  function originOf(host: string, origin: string | undefined) {
    if (origin !== undefined && URL.canParse(origin)) return new URL(origin);
    const before = [known.open?.origin, known.local].find(
      (one) => one !== undefined && new URL(one).host === host,
    );
    if (before !== undefined) return new URL(before);
    const url = URL.canParse(`http://${host}`)
      ? new URL(`http://${host}`)
      : undefined;
    return url && isLocal(url) ? url : undefined;
  }

  function learn(host: string, origin: string | undefined) {
    const url = originOf(host, origin);
    if (!url) return;
    const next = { ...known };
    if (isLocal(url)) {
      url.hostname = "gantry.localhost";
      next.local = url.origin;
    } else if (
      known.open?.origin !== url.origin ||
      clock.now() - Date.parse(known.open.seenAt) > DAY_MS
    )
      next.open = { origin: url.origin, seenAt: clock.timestamp() };
    known = next;
  }

  return {
    linkTo(automationId) {
      const { open, local } = known;
      const isUsed = open && clock.now() - Date.parse(open.seenAt) < KEPT_MS;
      const origin = isUsed ? open.origin : (local ?? open?.origin);
      return origin && `${origin}/automations/${automationId}`;
    },
    toKeep: () => [{ type: "set", key: KEY, value: known }],
    learningFrom: (route) =>
      route.access !== "session"
        ? route
        : {
            ...route,
            handle(request) {
              const host = request.header("host");
              if (host !== undefined) learn(host, request.header("origin"));
              return route.handle(request);
            },
          },
  };
}

function isLocal({ hostname }: URL): boolean {
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}
