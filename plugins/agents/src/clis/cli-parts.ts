import { join } from "node:path";
import type { AgentsContext } from "../agents-context.ts";
import { SessionLocks } from "../live/session-locks.ts";
import { SessionOpener } from "../live/session-opener.ts";
import type { Records } from "../records/records.ts";
import { ToolOffers } from "../tool-servers/tool-offers.ts";
import { FolderTrust } from "../trust/folder-trust.ts";
import { CliCatalog } from "./cli-catalog.ts";
import { CliFolders } from "./cli-folders.ts";
import { CliProcesses } from "./cli-processes.ts";
import { CliRegistry } from "./cli-registry.ts";
import { createTerminalDriver } from "./terminal-driver.ts";

/** Creates the parts that register, describe and start CLIs. */
export async function createCliParts(
  { config, clock, log, run, git, signal, wants, audit }: AgentsContext,
  { records, folder }: { records: Records; folder: string },
) {
  const registry = new CliRegistry(config.clis);
  registry.add({ driver: createTerminalDriver() }, signal);
  const trust = new FolderTrust(records.trust, audit, git);
  const processes = await CliProcesses.create({
    ...{ run, trust, terminals: wants.terminals },
    ownFolder: join(folder, "own"),
  });
  const { find } = run;
  const catalog = new CliCatalog({
    ...{ find, processes, registry, clock },
    defaultName: config.defaultCli,
  });
  const locks = await SessionLocks.create(join(folder, "locks"));
  const offers = new ToolOffers(clock, log);
  const opener = new SessionOpener({
    ...{ catalog, processes, locks, offers, clock, git },
    folder: join(folder, "sessions"),
    startMs: config.limits.startMs,
  });
  const cliFolders = new CliFolders(folder);
  return {
    ...{ registry, cliFolders, trust, processes, catalog },
    ...{ locks, offers, opener },
  };
}
