import { runAsPlugin } from "./work-context.ts";

type Method = (...args: unknown[]) => unknown;

/**
 * Wraps a service so that its methods run in the context of the plugin that provides it: an error that none of them awaits is
 * attributed to that plugin, not to the caller.
 */
export function ownService<Service>(plugin: string, service: Service): Service {
  if (typeof service !== "object" || service === null) return service;
  const owned = new WeakMap<Method, Method>();
  // Not a proxy of the service itself: a proxy of a frozen object must return its original functions.
  return new Proxy(Object.create(service) as Service & object, {
    get(_target, name) {
      // Read from and called on the service, whose private members a proxy does not have.
      const value: unknown = Reflect.get(service, name);
      if (typeof value !== "function") return value;
      const method = value as Method;
      let wrapped = owned.get(method);
      if (!wrapped) {
        wrapped = (...args) =>
          runAsPlugin(plugin, () => Reflect.apply(method, service, args));
        owned.set(method, wrapped);
      }
      return wrapped;
    },
  });
}
