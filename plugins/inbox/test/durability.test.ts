import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import type { EventRecord, NewEvent } from "@gantry/plugin";
import { copyCrashedHome, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ItemAdded } from "../src/contract.ts";
import type { InboxItem } from "../src/contract.ts";
import { inbox, startInbox } from "./support/inbox.ts";
import {
  agentDeleted,
  createSources,
  dialogClosed,
  dialogOpened,
  runFinished,
  turnCutOff,
  turnResumed,
} from "./support/sources.ts";
import { expectedItems, toComparable } from "./support/expected-items.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-inbox-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Emit = (...events: NewEvent[]) => Promise<void>;

const failed = () =>
  runFinished({ result: "failed", reason: "timeout", message: "2 h" });

/** One of everything that the Inbox listens to, with what could be counted, closed or lost. */
function createStory(): NewEvent[] {
  const answered = dialogOpened();
  const left = dialogOpened();
  const alsoLeft = dialogOpened({ kind: "question" });
  const stillOpen = dialogOpened({ agentId: "agt_eeeeeeeeeeeeeeeeeeeeeeee" });
  const [continued, cut] = [turnCutOff(), turnCutOff()];
  const other = "agt_eeeeeeeeeeeeeeeeeeeeeeee";
  const cutRun = runFinished({
    automationId: "aut_ffffffffffffffffffffffff",
    agentId: other,
    result: "failed",
    reason: "daemon-restarted",
  });
  return [
    turnCutOff({}, other),
    continued,
    cut,
    turnCutOff({ runId: cutRun.data.runId }, other),
    cutRun,
    turnResumed(continued.data.turnId),
    runFinished(),
    failed(),
    failed(),
    runFinished({ result: "skipped", reason: "busy" }),
    answered,
    left,
    dialogClosed(answered.data.id, "Allow once"),
    alsoLeft,
    stillOpen,
    agentDeleted(),
    failed(),
    runFinished(),
  ];
}

/** Tells each listener of one more thing, and waits until the items are what all events of the log must have made. */
async function expectAllItems(
  kernel: TestKernel,
  emit: Emit,
  round: string,
): Promise<void> {
  const last = { agentId: createIdentifier("agt"), agentName: "Last" };
  const cut = turnCutOff({}, createIdentifier("agt"));
  const [closedOne, openOne] = [dialogOpened(last), dialogOpened(last)];
  // Each listener takes its events in order: when the last one has its effect, so had all before it.
  await emit(
    runFinished({ automationId: createIdentifier("aut") }),
    closedOne,
    openOne,
    cut,
  );
  await emit(
    dialogClosed(closedOne.data.id, "Last"),
    agentDeleted(last.agentId),
    turnResumed(cut.data.turnId, cut.subject),
  );
  const logged = await kernel.api.get<{ items: EventRecord[] }>(
    "/api/events/log?limit=500",
  );
  const events = logged.body.items.filter(({ plugin }) => plugin === "sources");
  const shown = async () => {
    const list = await kernel.api.get<{ items: InboxItem[] }>(
      "/api/inbox?limit=500",
    );
    return toComparable(list.body.items);
  };
  await expect
    .poll(shown, { message: round, interval: 5 })
    .toEqual(expectedItems(events));
}

test("what happened while the Inbox was not there makes its items later, each once", async () => {
  const sources = createSources();
  const before = await startTestKernel([sources.plugin, inbox], {
    home: folder,
  });
  await before.stop();

  // The Inbox is not among the plugins now.
  const without = await startTestKernel([sources.plugin], { home: folder });
  for (const event of createStory()) await sources.emit(event);
  await without.stop();

  for (const round of ["first", "second"]) {
    await using kernel = await startTestKernel([sources.plugin, inbox], {
      home: folder,
    });
    await expectAllItems(kernel, sources.emit, round);
  }
});

test("a plugin that is stopped and started again takes what it missed", async () => {
  await using kernel = await startInbox();
  await kernel.tell(runFinished());
  await kernel.kernel.plugins.stop("inbox");
  await kernel.emit(failed(), failed(), dialogOpened());
  await kernel.kernel.plugins.start();
  await kernel.events.first(ItemAdded, ({ data }) => data.kind === "approval");
  await expect
    .poll(async () =>
      (await kernel.list()).map(({ kind, count }) => [kind, count]).sort(),
    )
    .toEqual([
      ["approval", 1],
      ["notice", 2],
      ["result", 1],
    ]);
});

test("whenever the daemon dies, no item is lost and none is doubled", async () => {
  const sources = createSources();
  await using kernel = await startTestKernel([sources.plugin, inbox]);
  const images: string[] = [];

  /** What would be on the disk if the process died now: nothing of this thread runs between a commit and this copy. */
  function keepImage(): void {
    const image = join(folder, String(images.length));
    copyCrashedHome(kernel.home, image);
    images.push(image);
  }
  const { engine } = kernel.kernel.foundation.core;
  const commit = engine.commit.bind(engine);
  engine.commit = async (...batch) => {
    const newest = await commit(...batch);
    keepImage();
    return newest;
  };

  keepImage();
  for (const event of createStory()) await sources.emit(event);
  await expectAllItems(kernel, sources.emit, "without a crash");
  expect(images.length).toBeGreaterThan(25);

  for (const image of images) {
    const others = createSources();
    await using revived = await startTestKernel([others.plugin, inbox], {
      home: image,
    });
    await expectAllItems(revived, others.emit, image);
  }
});
