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

  constructor(owner: Partial<LeaseOwner>) {
    const { pid, host, home } = owner;
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

/** What the record of a lease says. */
export type LeaseContent = Partial<LeaseOwner & { token: string }> & {
  /** All of it, to see whether it changes. */
  text: string;
};

/**
 * Reads the record of a lease as a driver gives it: as the text that was stored, or as what it parsed of it. One that
 * cannot be read has no owner that is known.
 */
export function readLease(stored: unknown): LeaseContent | undefined {
  if (stored === null || stored === undefined) return undefined;
  const text = typeof stored === "string" ? stored : JSON.stringify(stored);
  try {
    return { ...(JSON.parse(text) as Partial<LeaseOwner>), text };
  } catch {
    return { text };
  }
}
