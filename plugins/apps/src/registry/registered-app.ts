import type { ServiceCaller } from "@gantry/plugin";
import type { App } from "../contract.ts";

/** An app with the plugin that it belongs to. */
export interface RegisteredApp {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly summary: string;
  /** Runs its functions, in the context of its plugin. */
  readonly owner: ServiceCaller;
  /** What the plugin handed over. Its functions are called through {@link owner} only. */
  readonly app: App;
  /** Aborts when it is taken away. */
  readonly signal: AbortSignal;
}
