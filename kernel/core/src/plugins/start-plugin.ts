import { isGantryError } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { createDeadline, within } from "@gantry/system/clock/deadline";
import { unlessAborted } from "@gantry/system/clock/unless-aborted";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "../errors.ts";
import { createPluginContext } from "./context.ts";
import type { CrashGuard } from "./crash-guard.ts";
import { readConfig, START_LIMIT_MS } from "./definition.ts";
import { checkDelegation } from "./mounts.ts";
import type { PluginContextHost } from "./plugin-context-host.ts";
import type { PluginRegister } from "./plugin-register.ts";
import type { PluginEntry } from "./plugin-status.ts";
import { createScope } from "./scope.ts";
import type { StateWriter } from "./state-writer.ts";

/** Time in which an interrupted start has to clean up when the daemon stops. */
const INTERRUPTED_MS = 1_000;

/** Dependencies of {@link startPlugin}. */
export interface StartHost {
  context: PluginContextHost;
  guard: CrashGuard;
  /** Aborts when the daemon is to stop: no plugin is started after that. */
  signal: AbortSignal;
  /** The plugin's section of the configuration. */
  configOf(id: string): unknown;
}

/** Starts a plugin and sets its state: `active`, or `failed` with the reason. Rejects only if a state cannot be set. */
export async function startPlugin(
  host: StartHost &
    Pick<PluginRegister, "definitions"> & { setState: StateWriter["set"] },
  entry: PluginEntry,
  definition: PluginDefinition,
): Promise<void> {
  const { context, guard, setState, signal } = host;
  const skip = guard.verdict(entry.id);
  if (skip) return setState(entry, "failed", skip);
  await setState(entry, "starting");
  guard.running(entry.id);
  try {
    checkDelegation(definition, host.definitions());
    await setUp(host, entry, definition);
    await setState(entry, "active");
  } catch (error) {
    if (signal.aborted)
      return await setState(entry, "waiting", "the daemon stops");
    context.logOf(entry.id).error("Start failed", {}, error);
    const known = isGantryError(error) || error instanceof Error;
    const reason = known
      ? error.message
      : "its setup threw something that is no error";
    await setState(entry, "failed", reason);
  } finally {
    guard.running(null);
  }
}

/** Runs the plugin's setup. If that fails, the registrations of the plugin are removed. */
async function setUp(
  { context, configOf, signal }: StartHost,
  entry: PluginEntry,
  definition: PluginDefinition,
): Promise<void> {
  const { id } = entry;
  const scope = createScope(id, context.logOf(id), () =>
    errors.PLUGIN_STOPPED({ id }),
  );
  entry.scope = scope;
  try {
    const setup = runInContext({ plugin: id }, async () => {
      const config = await readConfig(definition, configOf(id));
      const ctx = createPluginContext(context, definition, config, scope);
      return definition.setup(ctx);
    });
    const started = within(START_LIMIT_MS, setup, () => scope.hasUpkeep);
    await unlessAborted(signal, started);
    const missing = (definition.provides ?? []).find(
      (token) => context.services.providerOf(token.id) !== id,
    );
    if (missing)
      throw new Error(`it says that it provides ${missing.id} but does not`);
  } catch (error) {
    await scope.end(
      signal.aborted ? createDeadline(INTERRUPTED_MS) : undefined,
    );
    entry.scope = undefined;
    throw error;
  }
}
