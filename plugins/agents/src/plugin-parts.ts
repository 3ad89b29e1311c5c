import { dirname, join } from "node:path";
import type { PluginContext } from "@gantry/plugin";
import { AgentBook } from "./agents/agent-book.ts";
import { Composer } from "./agents/composer.ts";
import { recover } from "./agents/recovery.ts";
import { WorkFolders } from "./agents/work-folders.ts";
import { Workspaces } from "./agents/workspaces.ts";
import { CliCatalog } from "./clis/cli-catalog.ts";
import type { AgentsConfig } from "./config.ts";
import { createAcpDriver } from "./drivers/acp/acp-driver.ts";
import { DriverRegistry } from "./drivers/driver-registry.ts";
import { createPiDriver } from "./drivers/pi/pi-driver.ts";
import { Fleet } from "./live/fleet.ts";
import { RunWatches } from "./live/run-watches.ts";
import { SessionLocks } from "./live/session-locks.ts";
import { SessionOpener } from "./live/session-opener.ts";
import { Attachments } from "./queue/attachments.ts";
import { TaskQueue } from "./queue/task-queue.ts";
import { openRecords, type Records } from "./records/records.ts";
import { AgentStreams } from "./stream/agent-streams.ts";
import { Transcripts } from "./transcript/transcripts.ts";
import { FolderTrust } from "./trust/folder-trust.ts";

/** The plugin's parts, put together. */
export interface PluginParts {
  records: Records;
  transcripts: Transcripts;
  streams: AgentStreams;
  drivers: DriverRegistry;
  catalog: CliCatalog;
  trust: FolderTrust;
  workspaces: Workspaces;
  watches: RunWatches;
  fleet: Fleet;
  queue: TaskQueue;
  book: AgentBook;
  composer: Composer;
  /** Starts an agent for messages that wait for it. */
  wake(agentId: string): void;
}

/** Puts the parts together, and puts right what a daemon that was killed left behind. */
export async function createParts(
  ctx: PluginContext<AgentsConfig>,
): Promise<PluginParts> {
  const { config, clock, log, run, signal } = ctx;
  const folder = await ctx.folder();
  const records = openRecords(ctx.store);
  const transcripts = await Transcripts.create(
    join(folder, "transcripts"),
    clock,
    log,
  );
  const streams = new AgentStreams();
  const drivers = new DriverRegistry();
  drivers.add(createPiDriver({ run, clock, log }), signal);
  drivers.add(createAcpDriver({ run, clock, log }), signal);
  const catalog = new CliCatalog({ run, drivers, config, folder });
  const trust = new FolderTrust(records.trust);
  const locks = await SessionLocks.create(join(folder, "locks"));
  const attachments = await Attachments.create(join(folder, "attachments"));
  const watches = new RunWatches();
  const opener = new SessionOpener({
    catalog,
    drivers,
    trust,
    locks,
    clock,
    folder: join(folder, "sessions"),
    startMs: config.limits.startMs,
  });
  const fleet: Fleet = new Fleet({
    records,
    transcripts,
    streams,
    watches,
    clock,
    log,
    opener,
    signal,
    limits: config.limits,
    onRest: (agentId) => queue.pump(agentId),
    onClosed: (agentId) => queue.closed(agentId),
  });
  const receiver = (agentId: string) => fleet.receiver(agentId);
  const queue = new TaskQueue({
    records,
    attachments,
    streams,
    clock,
    log,
    signal,
    receiver,
  });
  await recover({ records, transcripts, queue, clock, log });

  const workspaces = new Workspaces(records.workspaces);
  // Folders of plugins are two below the home; what agents make is the user's and does not go with the plugin.
  const workFolders = new WorkFolders(
    config.workFolder ?? join(dirname(dirname(folder)), "work"),
  );
  const book = new AgentBook({
    records,
    catalog,
    fleet,
    workspaces,
    workFolders,
    transcripts,
    streams,
    attachments,
  });
  const composer = new Composer({ book, catalog, fleet, queue, clock, signal });
  const wake = (agentId: string) => {
    const start = async () => {
      if (await queue.wantsStart(agentId))
        await fleet.start(await book.get(agentId), signal);
    };
    start().catch((error: unknown) =>
      log.warn("An agent could not be started for its messages", {
        agent: agentId,
        reason: String(error),
      }),
    );
  };
  closeWith(ctx, async () => {
    await fleet.stopAll("The daemon stopped.");
    await transcripts.close();
  });
  return {
    records,
    transcripts,
    streams,
    drivers,
    catalog,
    trust,
    workspaces,
    watches,
    fleet,
    queue,
    book,
    composer,
    wake,
  };
}

/** Begins to close as soon as the plugin stops: an unwilling CLI takes 5 s, and requests have to end meanwhile. */
function closeWith(
  ctx: PluginContext<AgentsConfig>,
  close: () => Promise<void>,
): void {
  let closing: Promise<void> | undefined;
  const once = () => (closing ??= close());
  ctx.signal.addEventListener(
    "abort",
    () => void once().catch(() => undefined),
    { once: true },
  );
  ctx.own(once);
}
