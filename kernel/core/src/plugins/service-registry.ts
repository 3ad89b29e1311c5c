interface Provided {
  provider: string;
  service: unknown;
  /** Aborts when it is taken back. */
  leaving: AbortController;
}

/** The services that active plugins give. */
export type ServiceRegistry = ReturnType<typeof createServiceRegistry>;

/** Makes an empty registry. */
export function createServiceRegistry() {
  const services = new Map<string, Provided>();
  const watchers = new Map<string, Set<(provided: Provided) => void>>();
  return {
    /** Adds a service; gives back its undo. Throws if another plugin gives it already. */
    provide(id: string, provider: string, service: unknown) {
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
    /** Calls back when a service is available, now and each time it returns; the signal aborts when it is removed. */
    watch(id: string, there: (service: unknown, gone: AbortSignal) => void) {
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
    get: (id: string): unknown => services.get(id)?.service,
    get size() {
      return services.size;
    },
    providerOf: (id: string) => services.get(id)?.provider,
  };
}
