/** The services that active plugins give. */
export interface ServiceRegistry {
  /** Adds a service; gives back its undo. Throws if another plugin gives it already. */
  provide(id: string, provider: string, service: unknown): () => void;
  get(id: string): unknown;
  providerOf(id: string): string | undefined;
  readonly size: number;
}

/** Makes an empty registry. */
export function createServiceRegistry(): ServiceRegistry {
  const services = new Map<string, { provider: string; service: unknown }>();
  return {
    provide(id, provider, service) {
      const taken = services.get(id);
      if (taken)
        throw new TypeError(
          `The service ${id} is already provided by "${taken.provider}".`,
        );
      const entry = { provider, service };
      services.set(id, entry);
      return () => {
        if (services.get(id) === entry) services.delete(id);
      };
    },
    get: (id) => services.get(id)?.service,
    get size() {
      return services.size;
    },
    providerOf: (id) => services.get(id)?.provider,
  };
}
