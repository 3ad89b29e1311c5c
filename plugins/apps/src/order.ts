import type { Store } from "@gantry/plugin";
import { AppsChanged } from "./contract.ts";
import { errors } from "./errors.ts";
import type { RegisteredApps } from "./registry/app-registry.ts";
import type { RegisteredApp } from "./registry/registered-app.ts";

const KEY = "order";
/** Longest order that is kept: far more apps than any user has. */
export const MAX_ORDER = 1_000;

/** The order that the user gave to the apps. */
export class AppOrder {
  readonly #store: Store;
  readonly #apps: RegisteredApps;

  constructor(store: Store, apps: RegisteredApps) {
    this.#store = store;
    this.#apps = apps;
  }

  /** The apps in the user's order; those that it does not name behind, by name. */
  async list(): Promise<RegisteredApp[]> {
    return this.#sort(await this.#read());
  }

  /**
   * Changes the order. Apps that are not there now keep their places in it.
   *
   * @throws `APP_ORDER_UNKNOWN` for an id that is no app, or is named twice
   */
  async change(ids: readonly string[]): Promise<void> {
    const before = await this.#read();
    const kept = new Set(before);
    const named = new Set<string>();
    for (const id of ids) {
      if (!kept.has(id) && !this.#apps.has(id))
        throw unknown(id, ", which is no app");
      if (named.has(id)) throw unknown(id, " twice");
      named.add(id);
    }
    const absent = (id: string) => !named.has(id) && !this.#apps.has(id);
    const next = keepAbsent(ids, before, absent).slice(0, MAX_ORDER);
    // Of two changes at once the later wins: both keep the same apps that are absent.
    await this.#store.batch(
      [{ type: "set", key: KEY, value: { ids: next } }],
      [AppsChanged.of(KEY, { apps: this.#sort(next).map(({ id }) => id) })],
    );
  }

  #sort(ids: readonly string[]): RegisteredApp[] {
    const places = new Map(ids.map((id, place) => [id, place]));
    const placeOf = ({ id }: RegisteredApp) => places.get(id) ?? MAX_ORDER;
    // Sorting keeps the order of equal places, which is that of names.
    return this.#apps.all().sort((one, other) => placeOf(one) - placeOf(other));
  }

  async #read(): Promise<readonly string[]> {
    const stored = await this.#store.get<{ ids: string[] }>(KEY);
    return stored?.ids ?? [];
  }
}

function unknown(id: string, fault: string) {
  const shown = id.replace(/[^\w-]/g, "?").slice(0, 40);
  return errors.APP_ORDER_UNKNOWN({ reason: `It names ${shown}${fault}` });
}

/** Puts each id that is absent behind the one that it stood behind before. */
function keepAbsent(
  ids: readonly string[],
  before: readonly string[],
  isAbsent: (id: string) => boolean,
): string[] {
  const next = [...ids];
  before.forEach((id, place) => {
    if (!isAbsent(id)) return;
    const earlier = before.slice(0, place).reverse();
    const neighbour = earlier.find((other) => next.includes(other));
    next.splice(
      neighbour === undefined ? 0 : next.indexOf(neighbour) + 1,
      0,
      id,
    );
  });
  return next;
}
