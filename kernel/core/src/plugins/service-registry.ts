/** The services that active plugins give. */
export interface ServiceRegistry {
  /** Adds a service; gives back its undo. Throws if another plugin gives it already. */
  provide(id: string, provider: string, service: unknown): () => void;
  get(id: string): unknown;
  /** Calls back when a service is available, now and each time it returns; the signal aborts when it is removed. */
  watch(
    id: string,
    there: (service: unknown, gone: AbortSignal) => void,
  ): () => void;
  providerOf(id: string): string | undefined;
  readonly size: number;
}

interface Provided {
  provider: string;
  service: unknown;
  /** Aborts when it is taken back. */
  leaving: AbortController;
}

/** Makes an empty registry. */
export function createServiceRegistry(): ServiceRegistry {
  const services = new Map<string, Provided>();
  const watchers = new Map<string, Set<(provided: Provided) => void>>();
  return {
    provide(id, provider, service) {
      const taken = services.get(id);
      if (taken)
        throw new TypeError(
          `The service ${id} is already provided by "${taken.provider}".`,
        );
      const entry = { provider, service, leaving: new AbortController() };
      services.set(id, entry);
      for (const tell of watchers.get(id) ?? []) tell(entry);
      return () => {
        if (services.get(id) === entry) services.delete(id);
        entry.leaving.abort();
      };
    },
    watch(id, there) {
      const stop = new AbortController();
      const tell = ({ service, leaving }: Provided) =>
        there(service, AbortSignal.any([leaving.signal, stop.signal]));
      const telling = watchers.get(id) ?? new Set();
      watchers.set(id, telling.add(tell));
      const now = services.get(id);
      if (now) tell(now);
      return () => {
        telling.delete(tell);
        stop.abort();
      };
    },
    get: (id) => services.get(id)?.service,
    get size() {
      return services.size;
    },
    providerOf: (id) => services.get(id)?.provider,
  };
}
