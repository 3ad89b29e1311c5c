import type { ServiceCaller } from "@gantry/plugin";
import type { App, AppRegistry } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkApp } from "./check-app.ts";
import type { RegisteredApp } from "./registered-app.ts";

/** Most apps of one plugin. */
const MAX_APPS_PER_PLUGIN = 100;
const MAX_SHOWN_ID = 40;

/** Dependencies of {@link RegisteredApps}. */
export interface RegistryHost {
  /** The plugin that calls the service. */
  caller(): ServiceCaller | undefined;
  /** An app came or went. */
  onChange(): void;
}

/** The apps that are there, ours and those of other plugins. */
export class RegisteredApps implements AppRegistry {
  readonly #apps = new Map<string, RegisteredApp>();
  readonly #host: RegistryHost;

  constructor(host: RegistryHost) {
    this.#host = host;
  }

  add(app: App, signal: AbortSignal): Promise<void> {
    return (async () => this.#add(app, signal))();
  }

  #add(app: App, signal: AbortSignal): void {
    const owner = this.#host.caller();
    if (!owner) throw new TypeError("An app can be added by a plugin only.");
    const texts = checkApp(app);
    const taken = this.#apps.get(texts.id);
    if (taken)
      throw errors.APP_TAKEN({ id: texts.id, plugin: taken.owner.plugin });
    this.#checkCount(owner.plugin);
    signal.throwIfAborted();

    const registered: RegisteredApp = { ...texts, app, owner, signal };
    this.#apps.set(texts.id, registered);
    signal.addEventListener("abort", () => this.#remove(texts.id), {
      once: true,
    });
    this.#host.onChange();
  }

  /** The ids of all of them. */
  ids(): string[] {
    return [...this.#apps.keys()].sort();
  }

  /** All of them, by name. */
  all(): RegisteredApp[] {
    return [...this.#apps.values()].sort(
      (one, other) =>
        one.name.localeCompare(other.name, "en") ||
        one.id.localeCompare(other.id, "en"),
    );
  }

  has(id: string): boolean {
    return this.#apps.has(id);
  }

  /** @throws `APP_NOT_FOUND` */
  get(id: string): RegisteredApp {
    const app = this.#apps.get(id);
    if (app) return app;
    throw errors.APP_NOT_FOUND({
      id: id.replace(/[^\w-]/g, "?").slice(0, MAX_SHOWN_ID),
    });
  }

  #checkCount(plugin: string): void {
    let count = 0;
    for (const { owner } of this.#apps.values())
      if (owner.plugin === plugin) count++;
    if (count >= MAX_APPS_PER_PLUGIN)
      throw errors.APP_TOO_MANY({ plugin, limit: MAX_APPS_PER_PLUGIN });
  }

  #remove(id: string): void {
    this.#apps.delete(id);
    this.#host.onChange();
  }
}
