import { join } from "node:path";
import { createReadingEnvironment, type Git } from "@gantry/git-kit";
import type { PathGuard } from "@gantry/plugin";
import type { AgentsContext } from "../agents-context.ts";
import { createAcpDriver } from "../drivers/acp/acp-driver.ts";
import { createClaudeDriver } from "../drivers/claude/claude-driver.ts";
import { createCodexDriver } from "../drivers/codex/codex-driver.ts";
import { DriverRegistry } from "../drivers/driver-registry.ts";
import { createPiDriver } from "../drivers/pi/pi-driver.ts";
import { createTerminalDriver } from "../drivers/terminal/terminal-driver.ts";
import { SessionLocks } from "../live/session-locks.ts";
import { SessionOpener } from "../live/session-opener.ts";
import { readingProgram } from "../reading/reading-program.ts";
import type { Records } from "../records/records.ts";
import { ToolOffers } from "../tool-servers/tool-offers.ts";
import { FolderTrust } from "../trust/folder-trust.ts";
import { UsageWindows } from "../usage/usage-windows.ts";
import { CliCatalog } from "./cli-catalog.ts";
import { CliProcesses } from "./cli-processes.ts";

/** Creates what knows CLIs and starts them. */
export async function createCliParts(
  { config, clock, log, run, signal, wants, audit }: AgentsContext,
  {
    records,
    folder,
    guard,
    git,
  }: { records: Records; folder: string; guard: PathGuard; git: Git },
) {
  const drivers = new DriverRegistry();
  drivers.add(createPiDriver({ clock, log }), signal);
  drivers.add(createClaudeDriver({ clock, log }), signal);
  drivers.add(createCodexDriver({ clock, log }), signal);
  drivers.add(createAcpDriver({ clock, log }), signal);
  drivers.add(createTerminalDriver(), signal);
  const trust = new FolderTrust(records.trust, audit, git);
  const processes = await CliProcesses.create({
    ...{ run, trust, guard, terminals: wants.terminals },
    ownFolder: join(folder, "own"),
  });
  const windows = new UsageWindows();
  const { find } = run;
  const catalog = new CliCatalog({
    ...{ find, processes, drivers, config, folder, clock, windows },
  });
  const locks = await SessionLocks.create(join(folder, "locks"));
  const offers = new ToolOffers(clock, log);
  const opener = new SessionOpener({
    ...{ catalog, processes, locks, offers, clock },
    readingEnvironment: (own, path) =>
      createReadingEnvironment(own, {
        ...{ run, program: readingProgram(), path },
      }),
    folder: join(folder, "sessions"),
    startMs: config.limits.startMs,
  });
  return {
    ...{ windows, drivers, trust, processes, catalog, locks },
    ...{ offers, opener },
  };
}
