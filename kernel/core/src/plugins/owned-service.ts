import { runAsPlugin } from "@gantry/system/context/work-context";

type Method = (...args: unknown[]) => unknown;

/**
 * Gives out a service so that its methods run in the context of the plugin that provides it: a fault that none of them
 * awaits belongs to that plugin, not to the one that called.
 */
export function ownService<Service>(plugin: string, service: Service): Service {
  if (typeof service !== "object" || service === null) return service;
  const owned = new WeakMap<Method, Method>();
  // Not a proxy of the service itself, which may be frozen: then its own functions would have to be given out.
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
