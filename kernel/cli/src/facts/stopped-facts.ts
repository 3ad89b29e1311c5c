import type { DaemonFacts } from "@gantry/plugin";
import { readLatest } from "@gantry/audit/read-latest";
import { verifyAudit } from "@gantry/audit/verify-audit";
import { createHostPolicy } from "@gantry/http/host-policy";
import { loadConfig } from "@gantry/kernel/config/config";
import type { Config } from "@gantry/kernel/config/config";
import {
  freeBytesOf,
  gatherCommon,
  MAX_AUDIT_ENTRIES,
  reachOf,
  toAuditFacts,
} from "@gantry/kernel/facts/gather-common";
import { discoverPlugins } from "@gantry/kernel/plugins/discover";
import type { PluginOrigin } from "@gantry/kernel/plugins/manifest";
import { version } from "@gantry/kernel/version";
import type { Home } from "@gantry/system/home/home";
import { readOfflineStore } from "./offline-store.ts";

/** Options of {@link readStoppedFacts}. */
export interface StoppedFactsOptions {
  home: Home;
  /** The environment that a daemon would be started with. */
  environment: NodeJS.ProcessEnv;
  /** Folder of the plugins that are delivered with the daemon. */
  builtinPlugins: string | undefined;
  /** Whether a daemon holds the home and does not answer. */
  isSilent: boolean;
}

/** Reads facts from the files of a home. It changes nothing and runs no code of plugins. */
export async function readStoppedFacts({
  home,
  environment,
  builtinPlugins,
  isSilent,
}: StoppedFactsOptions): Promise<DaemonFacts> {
  let configProblem: string | null = null;
  const config = await loadConfig({ home: home.folder }, environment).catch(
    (error: Error) => {
      configProblem = error.message;
      return undefined;
    },
  );
  const isOurs = config === undefined || config.storage === "sqlite";
  const { problem, ...stored } = isOurs
    ? readOfflineStore(home.database)
    : { mode: null, devices: null, quarantine: null, problem: null };
  const latest = await readLatest(home.audit, MAX_AUDIT_ENTRIES).catch(
    () => [],
  );
  const plugins = await listPlugins(home, builtinPlugins);
  return {
    ...(await gatherCommon(home, environment, plugins)),
    ...stored,
    at: new Date().toISOString(),
    version,
    daemon: null,
    isSilent,
    configProblem,
    ...wouldListen(config),
    storage: {
      kind: isOurs ? "sqlite" : "elsewhere",
      freeBytes: await freeBytesOf(home.folder),
      problem,
      tooNew: null,
    },
    audit: toAuditFacts(await verifyAudit(home.audit), latest.reverse()),
    stalls: [],
  };
}

/** Where a daemon with this configuration would listen. */
function wouldListen(
  config: Config | undefined,
): Pick<DaemonFacts, "listening" | "tls" | "certificateEndsAt" | "names"> {
  if (!config)
    return { listening: [], tls: "none", certificateEndsAt: null, names: [] };
  const { host, port, https, publicUrl, hosts, hookHosts } = config;
  const isLocal = ["127.0.0.1", "localhost", "::1"].includes(host);
  const addresses = isLocal ? ["127.0.0.1", "::1"] : [host];
  const policy = createHostPolicy({
    port,
    address: addresses[0] ?? host,
    secure: https !== false,
    publicUrl,
    hosts,
    hookHosts,
  });
  return {
    listening: addresses.map((address) => ({
      address,
      port,
      reach: reachOf(address),
    })),
    tls:
      https === false ? "none" : https === true ? "self-signed" : "configured",
    certificateEndsAt: null,
    names: [...policy.names],
  };
}

async function listPlugins(home: Home, builtinPlugins: string | undefined) {
  const places: { folder: string; origin: PluginOrigin }[] = [
    { folder: home.plugins, origin: "home" },
  ];
  if (builtinPlugins)
    places.unshift({ folder: builtinPlugins, origin: "builtin" });
  const { packages, broken } = await discoverPlugins(places);
  return [
    ...packages.map((found) => ({
      id: found.name,
      version: found.version,
      origin: found.origin,
      state: "stopped" as const,
      reason: null,
      package: found,
    })),
    ...broken.map(({ name, origin, reason }) => ({
      id: name,
      version: "",
      origin,
      state: "failed" as const,
      reason,
      package: undefined,
    })),
  ];
}
