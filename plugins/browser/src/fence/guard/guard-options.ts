import type { Clock } from "@gantry/plugin";
import type { RunningBrowser } from "../../chromium/browser-pool.ts";
import type { AuditEntry } from "../audit.ts";
import type { GantryAddress } from "../judge-site.ts";
import type { Rules } from "../policy.ts";

/** Dependencies of a guard. */
export interface GuardOptions {
  browser: Pick<RunningBrowser, "protocol" | "copyToBrowser">;
  clock: Pick<Clock, "sleep" | "after">;
  /** What an agent may do; read for each call. */
  rulesOf(agentId: string): Rules;
  gantry(): GantryAddress;
  record(entry: Omit<AuditEntry, "at" | "count">): void;
  /**
   * Whether the user used the pointer or keyboard in this tab within the last moments. Input of agents is delayed
   * meanwhile.
   */
  userIsDriving?(targetId: string): boolean;
  /** Rescans which ports the servers of an agent listen on; called before a port of this machine is refused. */
  refreshPorts?(agentId: string): Promise<void>;
}
