import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, vi } from "vitest";
import { readAll } from "../../support/read-all.ts";
import { judge } from "../runner/judge.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { idOfNobody, postJson } from "./requests.ts";

const AT_ONCE = 4;

interface Run {
  result: string;
}

/** What leads out of the folder for snapshots, in addresses and in bodies. */
const TRAVERSALS = [
  "..",
  "../..",
  "../../home",
  "..\\..\\home",
  "snap_../../home",
  "/etc",
  "files",
  "snap_\u0000aaaaaaaaaaaaaaaaaaaaaaa",
  idOfNobody("snap"),
];

/** Folders that are not for snapshots. */
function forbiddenFolders(world: World): Record<string, string> {
  const { home } = world.daemon;
  return {
    "the home": home,
    "the data folder": join(home, "data"),
    "a new folder in the home": join(home, "backups"),
    "a way back into the home": join(home, "..", "x", "..", "home", "data"),
    "a system folder": "/etc",
    "a new folder in a system folder": "/usr/local/canary-backups",
    "a system folder, in a roundabout way": "/tmp/../etc/canary-backups",
    processes: "/proc/1",
    "the root": "/",
    "a symbolic link": world.victims.snapshot.link,
    "a link of the system": "/proc/self",
    "a relative path": "backups",
    "the home of a shell": "~/backups",
    "a NUL": `${world.folder}/a\u0000b`,
    "a file": join(home, "config.json"),
    "below what is not there": join(world.folder, "not", "there"),
  };
}

function* removing(world: World): Generator<Trial> {
  const remove = (id: string, body: object) =>
    postJson(
      world,
      `/api/backup/snapshots/${encodeURIComponent(id)}`,
      body,
      "DELETE",
    );
  const { id, path } = world.victims.snapshot;
  for (const other of [...TRAVERSALS, path, id.toUpperCase()])
    yield {
      name: `the snapshot ${JSON.stringify(other)}`,
      send: remove(other, { confirm: true }),
      // A path with an encoded slash or dot is refused before a route is chosen.
      expect: refused([400, 404, 405]),
    };
  for (const body of [{}, { confirm: false }])
    yield {
      name: `the last good one with ${JSON.stringify(body)}`,
      send: remove(id, body),
      expect: refused(409, "BACKUP_LAST_GOOD"),
    };
  for (const confirm of ["true", 1, null, [true]])
    yield {
      name: `confirmed with ${JSON.stringify(confirm)}`,
      send: remove(id, { confirm }),
      expect: refused(400, "INPUT_INVALID"),
    };
}

function* reaching(world: World): Generator<Trial> {
  for (const id of [...TRAVERSALS, world.victims.snapshot.path])
    for (const path of ["reveal", "restore", "now"])
      yield {
        name: `${path} of ${JSON.stringify(id)}`,
        send: postJson(world, `/api/backup/${path}`, { id }),
        expect: refused(
          [400, 404],
          ["BACKUP_SNAPSHOT_NOT_FOUND", "INPUT_INVALID"],
        ),
      };
  for (const [path, member] of [
    ["reveal", "path"],
    ["reveal", "folder"],
    ["now", "folder"],
    ["now", "path"],
    ["restore", "folder"],
  ] as const)
    yield {
      name: `${path} with a ${member}`,
      send: postJson(world, `/api/backup/${path}`, {
        ...(path === "restore" ? { id: world.victims.snapshot.id } : {}),
        [member]: "/etc",
      }),
      expect: refused(400, "INPUT_INVALID"),
    };
}

/** Starts a run that waits for an answer; gives the address of its automation. */
async function startRun({ api, victims }: World): Promise<string> {
  const made = await api.call<{ automation: { id: string } }>(
    "POST",
    "/api/automations",
    {
      name: "Long",
      prompt: "[[ask:May I?]]",
      cli: "practice",
      workspace: victims.workspace,
    },
  );
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const path = `/api/automations/${made.body.automation.id}`;
  expect((await api.call("POST", `${path}/run`, {})).status).toBe(200);
  await vi.waitFor(async () => {
    const [run] = await readAll<Run>(api, `${path}/runs`);
    expect(run?.result).toMatch(/running|waiting/);
  });
  return path;
}

async function refuseInRun(world: World): Promise<void> {
  const { id, path } = world.victims.snapshot;
  const listSnapshots = async () =>
    (await readdir(dirname(path))).filter((name) => /^\d/.test(name));
  const before = await listSnapshots();
  const automation = await startRun(world);
  for (const only of [undefined, "agents", "automations"]) {
    const request = postJson(world, "/api/backup/restore", { id, only });
    const outcome = refused(409, "BACKUP_BUSY");
    judge(world, await world.ask(request), outcome, request);
  }
  expect(await listSnapshots()).toEqual(before);
  const [run] = await readAll<Run>(world.api, `${automation}/runs`);
  expect(run?.result).toMatch(/running|waiting/);
  const stopped = await world.api.call("POST", `${automation}/stop`, {});
  expect(stopped.status).toBe(200);
  await vi.waitFor(async () => {
    const [ended] = await readAll<Run>(world.api, `${automation}/runs`);
    expect(ended?.result).not.toMatch(/running|waiting|queued/);
  });
}

/** Of restores that begin at once one is made, and what was there before is in a snapshot. */
async function restoreAtOnce(world: World): Promise<void> {
  const { api } = world;
  const { id } = world.victims.snapshot;
  const list = () =>
    readAll<{ id: string; reason: string }>(api, "/api/backup/snapshots");
  const before = await list();
  const added = await api.call<{ id: string }>("POST", "/api/snips", {
    title: "Later",
    body: "Added after the snapshot",
  });
  const request = postJson(world, "/api/backup/restore", {
    id,
    keepsSessions: true,
  });
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => world.ask(request)),
  );
  const done = answers.filter(({ status }) => status === 200);
  expect(done).toHaveLength(1);
  judge(world, done[0]!, accepted(), request);
  for (const answer of answers)
    if (answer !== done[0])
      judge(world, answer, refused(409, "BACKUP_BUSY"), request);
  const { safetySnapshotId } = JSON.parse(done[0]!.body) as {
    safetySnapshotId: string;
  };
  await vi.waitFor(
    async () => {
      const { body } = await api.call("GET", "/api/backup");
      expect(body.lastRestore).toMatchObject({ snapshotId: id, failure: null });
    },
    { interval: 100 },
  );
  const gone = await api.call("GET", `/api/snips/${added.body.id}`);
  expect(gone.status).toBe(404);
  const { snippetId } = world.victims;
  expect((await api.call("GET", `/api/snips/${snippetId}`)).status).toBe(200);
  expect((await list()).map((one) => [one.id, one.reason])).toEqual([
    [safetySnapshotId, "safety"],
    ...before.map((one) => [one.id, one.reason]),
  ]);
}

async function tryRestores(world: World): Promise<void> {
  await refuseInRun(world);
  await restoreAtOnce(world);
}

/** What may not be restored, deleted, shown or written to. */
export const backups: readonly Row[] = [
  {
    id: "A144",
    title: "restores while a run has not ended, and several at once",
    ownDaemon: true,
    changes: true,
    warmUp: tryRestores,
    run: tryRestores,
  },
  {
    id: "A144b",
    title: "restores that end with a kill",
    provedBy: [
      [
        "e2e/test/backup-kills.test.ts",
        "a few kills while a snapshot is restored leave all of it or nothing of it",
      ],
      [
        "e2e/long/backup-kills.test.ts",
        "kills while a snapshot is restored leave all of it or nothing of it",
      ],
      [
        "kernel/core/test/whole-home/kill.test.ts",
        "a daemon that is killed while its home is replaced comes back with the old or the new",
      ],
      [
        "kernel/core/test/whole-home/interruptions.test.ts",
        "that is killed at any step leaves the old or the new, never a mixture",
      ],
      [
        "plugins/backup/test/restore-refused.test.ts",
        "when a run begins while the snapshot is staged",
      ],
    ],
  },
  {
    id: "A145",
    title: "snapshots and folders that are others', and the last good one",
    everyChange: true,
    *trials(world) {
      yield* removing(world);
      yield* reaching(world);
      for (const [name, folder] of Object.entries(forbiddenFolders(world)))
        yield {
          name: `snapshots in ${name}`,
          send: postJson(world, "/api/backup", { folder }, "PUT"),
          expect: refused(400, "BACKUP_FOLDER_INVALID"),
        };
    },
  },
];
