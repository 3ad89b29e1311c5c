import { join } from "node:path";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { idOfNobody, paired, postJson } from "./requests.ts";

const ARCHIVE_TESTS = "plugins/backup/test/archive";
const REFUSED = "plugins/backup/test/restore-refused.test.ts";
const SNAPSHOTS = "plugins/backup/test/snapshots.test.ts";

/** What is no snapshot, in the words of a path. */
const NO_SNAPSHOTS = [
  "x",
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "snap_../../../../etc/passwd",
  `${idOfNobody("snap")}/..`,
  "/etc/passwd",
  "snap_\u0000aaaaaaaaaaaaaaaaaaaaaaa",
  "2026-01-01T00-00-00-000Z",
  idOfNobody("agt"),
  idOfNobody("snap"),
];

/** Where snapshots must not go, besides folders of the system. */
const ownFolders = ({ daemon, folder }: World) => [
  daemon.home,
  join(daemon.home, "data"),
  join(daemon.home, "data", "agents", "backups"),
  join(folder, "backups", "..", "home", "new"),
  `${daemon.home}/../home`,
];
const SYSTEM_FOLDERS = ["/", "/etc", "/usr/share", "/proc/1", "/dev", "/sys"];
const NO_FOLDERS = ["backups", "~/backups", "file:///tmp", "/nowhere/at/all"];

function* choosing(world: World): Generator<Trial> {
  const folders = [...SYSTEM_FOLDERS, ...ownFolders(world), ...NO_FOLDERS];
  for (const folder of folders)
    yield {
      name: `snapshots into ${folder}`,
      send: postJson(world, "/api/backup", { folder }, "PUT"),
      expect: refused(400, "BACKUP_FOLDER_INVALID"),
    };
}

export const backup: readonly Row[] = [
  {
    id: "A140",
    title: "snapshots with paths that lead outside, links, devices and doubles",
    provedBy: [
      [
        `${ARCHIVE_TESTS}/hostile-archives.test.ts`,
        "an archive with ${what} is refused",
      ],
      [
        `${ARCHIVE_TESTS}/hostile-lists.test.ts`,
        "a file with a path ${what} is refused",
      ],
      [
        `${ARCHIVE_TESTS}/hostile-lists.test.ts`,
        "what is a link is not followed",
      ],
    ],
  },
  {
    id: "A141",
    title: "snapshots that are small and hold without measure",
    provedBy: [
      [
        `${ARCHIVE_TESTS}/bombs.test.ts`,
        "a bomb is refused before it is unpacked, if it says what it is",
      ],
      [
        `${ARCHIVE_TESTS}/bombs.test.ts`,
        "a bomb that lies is refused while it is unpacked, with little on disk",
      ],
      [
        `${ARCHIVE_TESTS}/bombs.test.ts`,
        "one piece is not a hundred gigabytes",
      ],
    ],
  },
  {
    id: "A142",
    title: "snapshots that are damaged, cut off, or without a manifest",
    provedBy: [
      [`${ARCHIVE_TESTS}/damage.test.ts`, "snapshot can change unnoticed"],
      [REFUSED, "a damaged one, before anything is touched"],
      [
        SNAPSHOTS,
        "half of a snapshot is none, and is removed at the next start",
      ],
    ],
  },
  {
    id: "A144",
    title: "a restore while runs or another restore are at work, or killed",
    provedBy: [
      [REFUSED, "while a run of an automation has not ended"],
      [REFUSED, "when a run begins while the snapshot is staged"],
      [SNAPSHOTS, "one at work is left alone"],
      [
        "e2e/test/backup-kills.test.ts",
        "a few kills while a snapshot is restored leave all of it or nothing of it",
      ],
    ],
  },
  {
    id: "A145",
    title: "snapshots of elsewhere, and folders that are not for snapshots",
    *trials(world) {
      for (const id of NO_SNAPSHOTS) {
        const unknown = refused(404, "BACKUP_SNAPSHOT_NOT_FOUND");
        yield {
          name: `deleting ${JSON.stringify(id)}`,
          send: {
            method: "DELETE",
            target: `/api/backup/snapshots/${encodeURIComponent(id)}`,
            headers: paired(world),
            body: "",
          },
          // A path with a slash or a dot in disguise is refused before it is anybody's.
          expect: refused([400, 404]),
        };
        for (const [operation, body] of [
          ["now", { id }],
          ["restore", { id }],
          ["restore", { id, preview: true }],
          ["reveal", { id }],
        ] as const)
          yield {
            name: `${operation} of ${JSON.stringify(id)}`,
            send: postJson(world, `/api/backup/${operation}`, body),
            expect: unknown,
          };
      }
      yield {
        name: "showing a folder of the caller's choice",
        send: postJson(world, "/api/backup/reveal", { path: "/etc" }),
        expect: refused(400, "INPUT_INVALID"),
      };
      yield* choosing(world);
    },
  },
  {
    id: "A145b",
    title: "the newest good snapshot, deleted without a word more",
    *trials(world) {
      const path = "/api/backup/snapshots/{id}";
      yield {
        name: "no confirmation",
        send: {
          method: "DELETE",
          target: world.addressOf({ path }),
          headers: paired(world),
          body: "",
        },
        expect: refused(409, "BACKUP_LAST_GOOD"),
      };
      for (const confirm of [false, "true", 1])
        yield {
          name: `confirm: ${JSON.stringify(confirm)}`,
          send: postJson(
            world,
            world.addressOf({ path }),
            { confirm },
            "DELETE",
          ),
          expect: refused(
            [400, 409],
            confirm === false ? "BACKUP_LAST_GOOD" : "INPUT_INVALID",
          ),
        };
    },
  },
];
