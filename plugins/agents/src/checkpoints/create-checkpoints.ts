import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateGit, type Git } from "@gantry/git-kit";
import type { AgentsContext } from "../agents-context.ts";
import type { AgentGate } from "../agents/agent-gate.ts";
import { createFolderGuard } from "../folder/folder-guard.ts";
import type { Records } from "../records/records.ts";
import { CheckpointSweep } from "./checkpoint-sweep.ts";
import { Checkpoints } from "./checkpoints.ts";
import { KeptWrites } from "./kept-writes.ts";
import { TurnChanges, type TurnChangesHost } from "./turn-changes.ts";

/** Dependencies of {@link createCheckpoints}. */
export interface CheckpointPartsHost extends Pick<TurnChangesHost, "isBusy"> {
  git: Git;
  gate: AgentGate;
  records: Records;
}

/** Makes what keeps folders as they were before and after turns. */
export async function createCheckpoints(
  ctx: AgentsContext,
  { git, gate, records, isBusy }: CheckpointPartsHost,
) {
  const { clock, log, signal } = ctx;
  // Not that of requests: a snapshot of a large folder takes long.
  const guard = createFolderGuard(clock, ctx.run);
  const privateGit = createPrivateGit(ctx.run);
  const checkpoints = new Checkpoints({
    ...{ git, privateGit, guard, gate, clock, log, signal },
    home: await realpath(ctx.home),
    cache: join(ctx.home, "cache", "checkpoints"),
    emit: (...events) => ctx.emit(...events),
  });
  const writes = new KeptWrites({ checkpoints, git, privateGit, clock });
  return {
    checkpoints,
    /** For what writes files beside turns. */
    keeping: { checkpoints, writes, privateGit, isBusy },
    checkpointSweep: new CheckpointSweep({
      ...{ checkpoints, privateGit, records, guard, clock, log },
    }),
    turnChanges: new TurnChanges({
      ...{ checkpoints, writes, git, privateGit, isBusy },
    }),
  };
}
