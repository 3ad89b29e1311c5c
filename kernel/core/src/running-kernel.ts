import type { OpenPorts } from "@gantry/http/open-ports";
import type { Deadline } from "@gantry/system/clock/deadline";
import type { NewCode } from "./auth/pairing.ts";
import type { Config } from "./config/config.ts";
import type { Foundation } from "./foundation.ts";
import type { HttpSide } from "./http-side.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";

/** A running daemon. */
export interface Kernel {
  /** What it runs with. */
  readonly config: Config;
  /** Address of the UI. */
  readonly url: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly bootId: string;
  readonly foundation: Foundation;
  readonly http: HttpSide;
  readonly plugins: PluginHost;
  readonly guard: CrashGuard;
  /** Creates a pairing code with its link. */
  pair(): NewCode & { url: string };
  /**
   * Stops cleanly: streams get `bye`, sockets 1001, plugins and children end, the store closes.
   *
   * @param deadline When plugins must have stopped; a plugin that hangs is not waited for any longer. None by default.
   */
  stop(deadline?: Deadline): Promise<void>;
  /** Resolves when the home is to be replaced; the caller then restarts the daemon, see `restartKernel`. */
  readonly replaced: Promise<void>;
  /** Stops like {@link stop}, but keeps the ports open and returns them; requests are held back there. */
  handOver(deadline?: Deadline): Promise<OpenPorts>;
  /** Sends SIGKILL to all child processes, for a process that has to exit now. Resolves when they have ended. */
  killChildren(): Promise<void>;
}
