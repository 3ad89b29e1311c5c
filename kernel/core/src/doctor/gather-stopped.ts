import { readLatest } from "@gantry/system/audit/read-latest";
import { verifyAudit } from "@gantry/system/audit/verify-audit";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/config.ts";
import { homePaths } from "@gantry/system/home/home";
import type { Home } from "@gantry/system/home/home";
import { createHostPolicy } from "@gantry/http/host-policy";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";
import type { PluginOrigin } from "@gantry/system/plugin-packages/manifest";
import { version } from "../version.ts";
import {
  freeBytesOf,
  gatherCommon,
  reachOf,
  toAuditFact,
  toPluginFact,
} from "./gather-common.ts";
import { readOfflineStore } from "./offline-store.ts";
import type { Facts } from "./report.ts";

const MAX_ENTRIES = 100;

/** What to look at where no daemon runs. */
export interface StoppedHost {
  home: string;
  environment: NodeJS.ProcessEnv;
  /** Folder of the plugins that are delivered with the daemon. */
  builtinPlugins: string | undefined;
}

/**
 * Looks at a home on which no daemon runs, and at how one would stand there. Changes nothing.
 *
 * @returns what was seen, and what is wrong with the configuration if something is
 */
export async function gatherStopped({
  home: folder,
  environment,
  builtinPlugins,
}: StoppedHost): Promise<{ facts: Facts; configFault: string | undefined }> {
  const home = homePaths(folder);
  let configFault: string | undefined;
  const config = await loadConfig({ home: folder }, environment).catch(
    (error: Error) => {
      configFault = error.message;
      return undefined;
    },
  );
  const isOurs = config === undefined || config.storage === "sqlite";
  const { problem, ...stored } = isOurs
    ? readOfflineStore(home.database)
    : { mode: null, devices: null, quarantine: null, problem: null };
  const latest = await readLatest(home.audit, MAX_ENTRIES).catch(() => []);
  const facts: Facts = {
    ...(await gatherCommon(home, environment.PATH ?? "")),
    ...stored,
    at: new Date().toISOString(),
    version,
    daemon: null,
    ...wouldListen(config),
    plugins: await findPlugins(home, builtinPlugins),
    storage: {
      kind: isOurs ? "sqlite" : "elsewhere",
      freeBytes: await freeBytesOf(folder),
      problem,
      tooNew: null,
    },
    audit: toAuditFact(await verifyAudit(home.audit), latest.reverse()),
    stalls: [],
  };
  return { facts, configFault };
}

/** Where a daemon with this configuration would listen. */
function wouldListen(
  config: Config | undefined,
): Pick<Facts, "listening" | "tls" | "certificateEndsAt" | "names"> {
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

async function findPlugins(
  home: Home,
  builtinPlugins: string | undefined,
): Promise<Facts["plugins"]> {
  const places: { folder: string; origin: PluginOrigin }[] = [
    { folder: home.plugins, origin: "home" },
  ];
  if (builtinPlugins)
    places.unshift({ folder: builtinPlugins, origin: "builtin" });
  const { packages, broken } = await discoverPlugins(places);
  return Promise.all([
    ...packages.map((found) =>
      toPluginFact({
        id: found.name,
        version: found.version,
        origin: found.origin,
        state: "stopped",
        reason: null,
        faults: 0,
        package: found,
      }),
    ),
    ...broken.map(({ name, origin, reason }) =>
      toPluginFact({
        id: name,
        version: "",
        origin,
        state: "failed",
        reason,
        faults: 0,
        package: undefined,
      }),
    ),
  ]);
}
