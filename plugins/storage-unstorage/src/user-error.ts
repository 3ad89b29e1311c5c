import type { LeaseOwner } from "./lease-owner.ts";

/** A module of the configuration cannot be loaded. `exitCode` is what a command ends with. */
export class ModuleMissingError extends Error {
  readonly exitCode = 2;

  constructor(name: string, options: ErrorOptions) {
    super(
      `The storage module "${name}" cannot be loaded; install it beside the daemon.`,
      options,
    );
  }
}

/** Another daemon holds the store. `exitCode` is what a command ends with. */
export class StoreInUseError extends Error {
  readonly exitCode = 3;

  constructor({ pid, host, home }: Partial<LeaseOwner>) {
    const who =
      home === undefined ? "" : ` (pid ${pid} on "${host}", home ${home})`;
    super(
      `Another daemon${who} uses this store; end it first, or give this home a store of its own under "storage".`,
    );
  }
}
