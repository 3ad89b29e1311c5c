/** A process of this machine. Both members together name it permanently, since the system reuses numbers. */
export interface ProcessIdentity {
  pid: number;
  /** In the system's own words; empty where the system does not say. */
  startTime: string;
}

/** A process of a program that a plugin runs. */
export interface ProcessMember extends ProcessIdentity {
  /** Its process group, which is that of a job if a shell with job control runs it. */
  group: number;
  /** `null` where the system does not say. */
  session: number | null;
  /** Name of the program, as the system keeps it; `null` where the system does not say. */
  name: string | null;
  /** With the time of the children that it has seen the end of. */
  cpuMs: number;
  memoryBytes: number;
}

/** A process of this machine, of any user. */
export interface SystemProcess extends ProcessMember {
  parent: number;
}

/** All processes that have not ended, by their numbers. */
export type ProcessTable = ReadonlyMap<number, SystemProcess>;
