/** A port that a process of this machine listens on. */
export interface ListeningPort {
  port: number;
  /** Where it listens: `127.0.0.1`, `::1`, `0.0.0.0` for all addresses, and the like. */
  address: string;
  /** `undefined` where the process belongs to another user. */
  pid: number | undefined;
  /** Name of its program; `undefined` where that is not known. */
  program: string | undefined;
}
