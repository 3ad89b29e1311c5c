import { join } from "node:path";
import { createGit } from "@gantry/git-kit";
import type { EventRecord } from "@gantry/plugin";
import {
  TerminalClosed,
  TerminalExited,
  TerminalHost,
  type TerminalBrief,
} from "@gantry/plugin-terminals/contract";
import type { AgentsContext } from "./agents-context.ts";
import { AgentBook } from "./agents/agent-book.ts";
import { AgentGate } from "./agents/agent-gate.ts";
import { AgentNotes } from "./agents/agent-notes.ts";
import { AgentRemains } from "./agents/agent-remains.ts";
import { AgentRemoval } from "./agents/agent-removal.ts";
import { Composer } from "./agents/composer.ts";
import { Continuation } from "./agents/continuation.ts";
import { EarlierSessions } from "./agents/earlier-sessions.ts";
import { Recovery } from "./agents/recovery.ts";
import { WorkFolders } from "./agents/work-folders.ts";
import { Workspaces } from "./agents/workspaces.ts";
import { createCheckpoints } from "./checkpoints/create-checkpoints.ts";
import { createCliParts } from "./clis/cli-parts.ts";
import { CliRecords } from "./clis/cli-records.ts";
import { Compaction } from "./conversation/compaction.ts";
import { ConversationBranches } from "./conversation/conversation-branches.ts";
import { ConversationExports } from "./conversation/conversation-exports.ts";
import { PromptContext } from "./conversation/prompt-context.ts";
import { Spool } from "./conversation/spool.ts";
import { SlashCommands } from "./conversation/slash-commands.ts";
import { DropBoxes } from "./folder/drop-boxes.ts";
import { FileIndex } from "./folder/file-index.ts";
import { createDropSweep } from "./folder/drop-sweep.ts";
import { Folders } from "./folder/folders.ts";
import { createFolderGuard } from "./folder/folder-guard.ts";
import { createReveal } from "./folder/reveal.ts";
import { TextWriter } from "./folder/text-files.ts";
import { Fleet } from "./live/fleet.ts";
import { RunWatches } from "./live/run-watches.ts";
import { Gh } from "./pull-requests/gh.ts";
import { PullRequests } from "./pull-requests/pull-requests.ts";
import { Attachments } from "./queue/attachments.ts";
import { TaskBook } from "./queue/task-book.ts";
import { TaskQueue } from "./queue/task-queue.ts";
import { TaskWaiters } from "./queue/task-waiters.ts";
import { Waker } from "./queue/waker.ts";
import { createHistorySweep } from "./records/history-sweep.ts";
import { openRecords } from "./records/records.ts";
import { AgentScreens } from "./screens/agent-screens.ts";
import { Receivers } from "./screens/receivers.ts";
import { ScreenQueue } from "./screens/screen-queue.ts";
import { AgentPrograms } from "./shell/agent-programs.ts";
import { ShellCommands } from "./shell/shell-commands.ts";
import { GitTrust } from "./shipping/git-trust.ts";
import { Shipping } from "./shipping/shipping.ts";
import { Repositories } from "./repository/repositories.ts";
import { AgentStreams } from "./stream/agent-streams.ts";
import { Transcripts } from "./transcript/transcripts.ts";
import { countEarlierTurns } from "./usage/count-earlier-turns.ts";
import { UsageBook } from "./usage/usage-book.ts";
import { AgentWorktrees } from "./worktrees/agent-worktrees.ts";
import { Places } from "./worktrees/places.ts";
import { WorktreeSetups } from "./worktrees/worktree-setups.ts";
import { Worktrees } from "./worktrees/worktrees.ts";

const EVERY_NIGHT = "40 3 * * *";

/** The plugin's parts, put together. */
export type PluginParts = Awaited<ReturnType<typeof createParts>>;

/** Puts the parts together, and puts right what a daemon that was killed left behind. */
export async function createParts(ctx: AgentsContext) {
  const { config, clock, log, run, signal, prepare } = ctx;
  const { limits } = config;
  const folder = await ctx.folder();
  const records = openRecords(ctx.store);
  const usage = new UsageBook(ctx.store, log);
  await countEarlierTurns(usage, records.turns);
  const gate = new AgentGate();
  const notes = new AgentNotes(records, gate);
  const transcripts = await Transcripts.create(
    join(folder, "transcripts"),
    clock,
    log,
    gate,
  );
  const streams = new AgentStreams();
  const watches = new RunWatches();
  const attachments = await Attachments.create(join(folder, "attachments"));
  const tasks = new TaskBook({ gate, records, attachments, streams, clock });
  const guard = createFolderGuard(clock, run);
  const git = createGit({ run, cache: join(ctx.home, "cache", "git") });
  const clis = await createCliParts(ctx, { records, folder, guard, git });
  const { windows, drivers, catalog, trust, processes, locks, opener } = clis;
  const { offers } = clis;
  const cliRecords = new CliRecords(catalog, log);
  const recovery = new Recovery({
    ...{ records, usage, transcripts, tasks, catalog, cliRecords, streams },
    ...{ clock, log, prepare },
    exclusively: (agentId, work) => fleet.exclusively(agentId, work),
  });
  await recovery.begin();
  const waiters = new TaskWaiters();
  const { checkpoints, keeping, checkpointSweep, turnChanges } =
    await createCheckpoints(ctx, {
      ...{ git, gate, records },
      isBusy: (agentId) => fleet.get(agentId)?.isBusy ?? false,
    });
  const fleet: Fleet = new Fleet({
    records,
    notes,
    usage,
    transcripts,
    streams,
    watches,
    windows,
    checkpoints,
    silentWorkMs: limits.silentWorkMs,
    cliRecords,
    clock,
    log,
    opener,
    signal,
    limits,
    prepare,
    finishRecovery: (agentId) => recovery.finish(agentId),
    requeue: (taskId) => queue.requeue(taskId),
    isWanted: (agentId) => queue.isSending(agentId),
    async findServerPorts(agentId) {
      const found = await ctx.wants.servers()?.list({ agentId }, signal);
      return (found?.items ?? [])
        .filter(({ endsWithCli }) => endsWithCli)
        .map(({ port }) => port);
    },
    async onRest(agentId) {
      queue.pump(agentId);
      await queue.sent(agentId);
    },
    onClosed(agentId, isRetired) {
      streams.release(agentId);
      if (isRetired) waker.wake(agentId);
      else waiters.closed(agentId);
      waker.madeRoom();
    },
  });
  const context = new PromptContext(notes);
  const queue: TaskQueue = new TaskQueue({
    book: tasks,
    waiters,
    context,
    clock,
    log,
    signal,
    goBack: (agentId, sessionId) => sessions.open(agentId, sessionId, signal),
    receiver: (agentId) =>
      setups.isRunning(agentId) ? undefined : fleet.receiver(agentId),
    onSent: () => waker.madeRoom(),
    onGivenUp: (task) => void continuation.givenUp(task),
  });
  const waker = new Waker({ fleet, queue, waiters, log, signal });
  const wake = (agentId: string) => waker.wake(agentId);

  const workspaces = new Workspaces(records.workspaces, guard);
  // Not in the plugin's folder: what agents make is the user's and does not go with the plugin.
  const work = config.workFolder ?? join(ctx.home, "work");
  const workFolders = new WorkFolders(work);
  const gitTrust = new GitTrust(git, records.trust, ctx.audit);
  const worktrees = new Worktrees({
    ...{ git, trust: gitTrust, workFolders, removals: records.removals },
  });
  const book = new AgentBook({
    ...{ records, catalog, fleet, workspaces, workFolders, worktrees },
    ...{ prepare, guard },
  });
  const sessions: EarlierSessions = new EarlierSessions({
    ...{ book, catalog, fleet, transcripts },
  });
  const receivers = new Receivers(clock);
  const screenQueue = new ScreenQueue({
    ...{ records, tasks, transcripts, streams, receivers },
    ...{ clock, log, signal },
    terminals: ctx.wants.terminals,
  });
  const screens: AgentScreens = new AgentScreens({
    ...{ records, transcripts, streams, clock, log },
    ...{ book, catalog, processes, fleet, opener, locks, receivers },
    finishRecovery: (agentId) => recovery.finish(agentId),
    terminals: ctx.wants.terminals,
    localOrigin: ctx.localOrigin,
    onOpen: (agentId) => screenQueue.pump(agentId),
    onClosed: wake,
  });
  await screens.recover();
  ctx.whenThere(TerminalHost, (terminals, gone) =>
    screens.reconcile(terminals, gone),
  );
  ctx.on(TerminalExited, onTerminalGone, { durable: "terminal-exited" });
  ctx.on(TerminalClosed, onTerminalGone, { durable: "terminal-closed" });
  async function onTerminalGone(event: EventRecord<TerminalBrief>) {
    const { subject, data } = event;
    if (data.agent) await screens.exited(subject, data.agent.id);
  }
  const pump = (agentId: string) => {
    queue.pump(agentId);
    screenQueue.pump(agentId);
  };
  const composer = new Composer({
    ...{ book, catalog, fleet, sessions, tasks, waiters },
    ...{ pump, wake, clock, signal },
  });
  const continuation: Continuation = new Continuation({
    ...{ gate, records, book, tasks, fleet, transcripts, cliRecords, log },
    ...{ pump, signal },
    cancel: (agentId, taskId) => queue.cancel(agentId, taskId, undefined),
  });
  const folders = new Folders({ book, guard, home: ctx.home, work });
  const sweepDrops = createDropSweep({ records, folders, clock, log });
  const dropBoxes = new DropBoxes({ gate, notes, folders });
  const shell = new ShellCommands({
    ...{ gate, run, clock, transcripts, streams, context, signal },
  });
  const setups: WorktreeSetups = new WorktreeSetups({
    ...{ records, shell, log, signal, pump },
  });
  await setups.resume();
  const codeBlocks = new AgentPrograms(gate);
  const endPrograms = async (agentId: string) =>
    void (await Promise.all([shell.end(agentId), codeBlocks.end(agentId)]));
  const closeScreen = (agentId: string) => screens.close(agentId);
  const removal = await AgentRemoval.create({
    ...{ records, book, notes, tasks, fleet, gate, streams, workFolders, log },
    remains: await AgentRemains.create({
      ...{ records, transcripts, attachments, dropBoxes, locks },
      ...{ workFolders, worktrees },
      folder,
      forgetCheckpoints: (agentId) => checkpointSweep.forget(agentId),
    }),
    ...{ closeScreen, endPrograms },
  });
  const agentWorktrees = new AgentWorktrees({
    ...{ records, book, fleet, workFolders, worktrees, removal, setups },
    ...{ log, closeScreen, endPrograms },
  });
  const sweepHistory = createHistorySweep({ records, clock });
  ctx.cron(EVERY_NIGHT, sweepDrops, { timezone: "Etc/UTC" });
  ctx.cron(EVERY_NIGHT, sweepHistory, { timezone: "Etc/UTC" });
  const sweepCheckpoints = (until: AbortSignal) => checkpointSweep.run(until);
  ctx.cron(EVERY_NIGHT, sweepCheckpoints, { timezone: "Etc/UTC" });
  inBackground(ctx, async () => {
    await removal.resume(signal);
    await sweepDrops(signal);
    await sweepHistory(signal);
    await sweepCheckpoints(signal);
  });
  const { agents } = records;
  const repositories = new Repositories({ git, clock, agents });
  const pullRequests = new PullRequests({
    ...{ git, clock, audit: ctx.audit },
    gh: await Gh.create({ run, clock }, folder),
  });
  const shipping = new Shipping({
    ...keeping,
    git,
    trust: gitTrust,
    audit: ctx.audit,
  });
  const conversation = {
    ...{ records, book, catalog, fleet, transcripts, streams },
  };
  closeWith(ctx, async () => {
    await fleet.stopAll("The daemon stopped.");
    await checkpoints.settled();
    offers.endAll("The daemon stopped.");
    await queue.settled();
    await recovery.settled();
    await transcripts.close();
  });

  return {
    records,
    usage,
    notes,
    transcripts,
    streams,
    drivers,
    catalog,
    offers,
    trust,
    cliRecords,
    workspaces,
    watches,
    recovery,
    fleet,
    tasks,
    waiters,
    queue,
    book,
    composer,
    continuation,
    screens,
    receivers,
    wake,
    run,
    branches: new ConversationBranches(conversation),
    exports: new ConversationExports({
      ...{ ...conversation, context, clock },
      spool: await Spool.create(join(folder, "exports")),
    }),
    compaction: new Compaction(conversation),
    slash: new SlashCommands(notes, log),
    removal,
    shell,
    codeBlocks,
    guard,
    folders,
    dropBoxes,
    fileIndex: new FileIndex({ git, clock }),
    texts: new TextWriter(),
    reveal: createReveal(ctx),
    repositories,
    pullRequests,
    shipping,
    worktrees,
    agentWorktrees,
    setups,
    places: new Places({ git, records, workspaces }),
    turnChanges,
  };
}

/** Clears up after an earlier daemon, which may take a while. The plugin's end waits for the step at hand. */
function inBackground(ctx: AgentsContext, work: () => Promise<void>): void {
  const done = work().catch((error: unknown) => {
    if (!ctx.signal.aborted)
      ctx.log.error("What agents left could not be cleared up", {}, error);
  });
  ctx.own(() => done);
}

/** Begins to close as soon as the plugin stops: an unwilling CLI takes its time, and requests have to end meanwhile. */
function closeWith(ctx: AgentsContext, close: () => Promise<void>): void {
  let closing: Promise<void> | undefined;
  const once = () => (closing ??= close());
  ctx.signal.addEventListener(
    "abort",
    () => void once().catch(() => undefined),
    { once: true },
  );
  ctx.own(once);
}
