/**
 * Identifies a service that one plugin provides and others use. Tokens with equal `id` are interchangeable, also across
 * bundles.
 */
export interface ServiceToken<Service> {
  readonly kind: "service";
  /** `area.name@major`, such as `agents.runs@1`. */
  readonly id: string;
  /** Exists only for type inference; never set. */
  readonly "~service"?: Service;
}

/** The type of a token's service. */
export type ServiceOf<Token> =
  Token extends ServiceToken<infer Service> ? Service : never;

/**
 * Declares a service. A breaking change gets the next major number; a plugin may provide both for a while.
 *
 * Methods are async, take one argument of plain data and an `AbortSignal`, and return plain data or an async iterable of it,
 * so that a service could run in another process.
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
