/**
 * Names a service that one plugin provides and others use. Two tokens with an equal `id` are the same token, also when
 * they stand in two separate bundles.
 */
export interface ServiceToken<Service> {
  /** Tells it from an event token. */
  readonly kind: "service";
  /** `area.name@major`, such as `agents.runs@1`. */
  readonly id: string;
  /** Carries the type only; never set. */
  readonly "~service"?: Service;
}

/** The service that a token stands for. */
export type ServiceOf<Token> =
  Token extends ServiceToken<infer Service> ? Service : never;

/**
 * Declares a service. A breaking change gets the next major number; both may be provided for a while.
 * A method is async, takes one argument of plain data and an `AbortSignal`, and returns plain data or an async iterable
 * of it, so that the service could live in another process one day.
 *
 * @example export const AgentRuns = defineService<AgentRuns>("agents.runs@1");
 * @throws TypeError if the id is not of the form `area.name@1`.
 */
export function defineService<Service>(id: string): ServiceToken<Service> {
  if (!/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*@[1-9]\d*$/.test(id)) {
    throw new TypeError(`Service id "${id}" is not of the form area.name@1.`);
  }
  return { kind: "service", id };
}
