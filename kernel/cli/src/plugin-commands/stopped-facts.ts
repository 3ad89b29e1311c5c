import type { DaemonFacts, PluginFacts } from "@gantry/plugin";
import { readLatest } from "@gantry/system/audit/audit-files";
import { verifyAudit } from "@gantry/system/audit/verify-audit";
import type { Home } from "@gantry/system/home/home";
import { createHostPolicy } from "@gantry/http/host-policy";
import { discoverAll } from "../commands/delivered-plugins.ts";
import { loadConfig } from "@gantry/kernel/config/config";
import type { Config } from "@gantry/kernel/config/config";
import {
  describeHome,
  MAX_ENTRIES,
  toAuditFacts,
  toPluginFacts,
  toTls,
} from "@gantry/kernel/daemon-facts";
import { version } from "@gantry/kernel/version";
import { readStoppedStore } from "@gantry/store/stopped-store";
import { toStoredFacts } from "./stored-facts.ts";

/** Describes a home from outside, and how a daemon would stand there. Changes nothing. */
export async function describeStoppedHome(home: Home): Promise<DaemonFacts> {
  const read = await loadConfig({ home: home.folder }, process.env).catch(
    (error: Error) => error,
  );
  const config = read instanceof Error ? undefined : read;
  const isOurs = config === undefined || config.storage === "sqlite";
  const { content, problem = null } = isOurs
    ? readStoppedStore(home.database, toStoredFacts)
    : {};
  const latest = await readLatest(home.audit, MAX_ENTRIES).catch(() => []);
  return {
    ...describeHome(home),
    ...{ mode: null, devices: null, quarantine: null, ...content },
    at: new Date().toISOString(),
    version,
    daemon: null,
    configFault: read instanceof Error ? read.message : null,
    ...wouldListen(config),
    certificateEndsAt: null,
    plugins: await findPlugins(home),
    storage: { kind: isOurs ? "sqlite" : "elsewhere", problem, tooNew: null },
    audit: toAuditFacts(await verifyAudit(home.audit), latest.reverse()),
  };
}

/** Where a daemon with this configuration would listen. */
function wouldListen(
  config: Config | undefined,
): Pick<DaemonFacts, "listening" | "tls" | "names"> {
  if (!config) return { listening: [], tls: "none", names: [] };
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
    listening: addresses.map((address) => ({ address, port })),
    tls: toTls(config),
    names: [...policy.names],
  };
}

async function findPlugins(home: Home): Promise<PluginFacts[]> {
  const { packages, broken } = await discoverAll(home);
  return Promise.all(
    [
      ...packages.map((found) => ({
        ...found,
        state: "stopped" as const,
        reason: null,
        package: found,
      })),
      ...broken.map((found) => ({
        ...found,
        version: "",
        state: "failed" as const,
        package: undefined,
      })),
    ].map((plugin) => toPluginFacts({ ...plugin, id: plugin.name, faults: 0 })),
  );
}
