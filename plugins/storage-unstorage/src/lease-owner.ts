import { stat } from "node:fs/promises";
import { hostname } from "node:os";

/** Who holds a store, in words for people, and where. */
export interface LeaseOwner {
  pid: number;
  host: string;
  home: string;
  /** Names the folder of the home on this running machine, `undefined` where the system has no such name. */
  place: string | undefined;
}

/** Describes this process as the owner of a lease. */
export async function describeOwner(
  home: string,
  bootId: string | undefined,
): Promise<LeaseOwner> {
  const { dev, ino } = await stat(home);
  const place = bootId && `${bootId} ${dev} ${ino}`;
  return { pid: process.pid, host: hostname(), home, place };
}
