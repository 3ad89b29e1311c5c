import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { bootId } from "@gantry/system/processes/identity";
import { UserError } from "@gantry/system/user-error";

/** Who holds a store, in words for people, and where. */
export interface LeaseOwner {
  pid: number;
  host: string;
  home: string;
  /** Names the folder of the home on this running machine, `undefined` where the system has no such name. */
  place: string | undefined;
}

/** Another daemon holds the store. */
export class StoreInUseError extends UserError {
  override readonly exitCode = 3;

  constructor({ pid, host, home }: Partial<LeaseOwner>) {
    const who =
      home === undefined ? "" : ` (pid ${pid} on "${host}", home ${home})`;
    super(
      `Another daemon${who} uses this store; end it first, or give this home a store of its own under "storage".`,
    );
  }
}

/** Describes this process as the owner of a lease. */
export async function describeOwner(home: string): Promise<LeaseOwner> {
  const boot = await bootId();
  const { dev, ino } = await stat(home);
  const place = boot && `${boot} ${dev} ${ino}`;
  return { pid: process.pid, host: hostname(), home, place };
}
