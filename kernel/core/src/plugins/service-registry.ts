/** The services that active plugins provide. */
export interface ServiceRegistry {
  /** Adds a service; the returned function removes it. Throws if another plugin provides it already. */
  provide(id: string, provider: string, service: unknown): () => void;
  get(id: string): unknown;
  /** Calls back with a service now and each time it becomes available; the signal aborts when it is removed. */
  watch(
    id: string,
    onService: (service: unknown, gone: AbortSignal) => void,
  ): () => void;
  providerOf(id: string): string | undefined;
  readonly size: number;
}

interface Provided {
  provider: string;
  service: unknown;
  /** Aborts when the service is removed. */
  leaving: AbortController;
}

/** Creates an empty registry. */
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
      for (const notify of watchers.get(id) ?? []) notify(entry);
      return () => {
        if (services.get(id) === entry) services.delete(id);
        entry.leaving.abort();
      };
    },
    watch(id, onService) {
      const stop = new AbortController();
      const notify = ({ service, leaving }: Provided) =>
        onService(service, AbortSignal.any([leaving.signal, stop.signal]));
      const watching = watchers.get(id) ?? new Set();
      watchers.set(id, watching.add(notify));
      const now = services.get(id);
      if (now) notify(now);
      return () => {
        watching.delete(notify);
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
