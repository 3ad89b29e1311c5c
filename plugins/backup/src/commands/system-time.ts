import type { Clock } from "@gantry/plugin";

/** The time of this machine: a command has no daemon whose clock it could read. */
export const systemTime: Pick<Clock, "timestamp"> = {
  // eslint-disable-next-line gantry/no-ambient-time -- a command has no clock of a daemon
  timestamp: () => new Date().toISOString(),
};
