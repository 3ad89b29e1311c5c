import { bytes, defineRoute, type RouteDefinition } from "@gantry/plugin";
import { queryNumber } from "@gantry/plugin/zod";
import * as z from "zod";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { describeBytes } from "../folder/file-bytes.ts";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { deliveryWay, taskStatus } from "../records/task-record.ts";
import { composeInput, GIT_RISKS } from "../repository/compose-input.ts";
import { countTasks } from "../repository/delivery.ts";
import { CHANGE_KINDS } from "../repository/parse-status.ts";
import { pathInput, PATH_ERRORS } from "./files.ts";
import { agentParameter } from "./inputs.ts";

const revision = z.string().min(1).max(2048);
const count = z.number().nullable();
const notices = z.array(z.string());
const patch = { patch: z.string(), truncated: z.boolean(), notices };

/** What is there, or that there is no repository. */
const orNone = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.union([
    z.object({ git: z.literal(true), ...shape }),
    z.object({ git: z.literal(false) }),
  ]);

const row = z.object({
  hash: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  at: z.string(),
  subject: z.string(),
  lane: z.number(),
  into: z.array(z.number()),
  through: z.array(z.number()),
  out: z.array(z.number()),
});

const worktree = z.object({
  path: z.string(),
  head: z.string().nullable(),
  branch: z.string().nullable(),
  current: z.boolean(),
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      state: z.enum(["open", "closed"]),
    }),
  ),
});

/** What reading the repository of an agent can refuse. */
export const FOLDER_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_FOLDER_GONE",
  "FOLDER_SILENT",
  "GIT_FAILED",
  "GIT_MISSING",
  "GIT_OBJECTS_OUTSIDE",
  "GIT_OBJECT_MISSING",
  "GIT_REPOSITORY_REFUSED",
  "GIT_TIMEOUT",
  "PROCESS_NOT_STARTED",
];
const REVISION_ERRORS = [
  ...FOLDER_ERRORS,
  "REVISION_INVALID",
  "REVISION_NOT_FOUND",
];

const common = { access: "session", params: agentParameter } as const;

/** Reading the repository that an agent works in. Nothing here changes it. */
export function repositoryRoutes({
  book,
  folders,
  repositories,
  records,
  receivers,
}: PluginParts): RouteDefinition[] {
  const inFolder = <Result>(
    id: string,
    work: (folder: AgentFolder) => Promise<Result>,
  ) => folders.use(id, work, { deadlineMs: LONG_DEADLINE_MS });
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git",
      summary: "The history of the agent's repository as a graph",
      description:
        "A page of commits, newest first, each with its place among the lanes: `lane` is where it is, `into` are lanes from above that end in it, `through` lanes that pass by, `out` lanes to its parents. The first page also has branches, tags and working trees.",
      query: z.strictObject({
        limit: queryNumber(z.int().min(1).max(500).default(100)),
        cursor: z.string().max(6100).optional(),
      }),
      returns: orNone({
        head: z
          .object({
            hash: z.string().nullable(),
            branch: z.string().nullable(),
          })
          .nullable(),
        refs: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(["branch", "remote", "tag"]),
            hash: z.string(),
          }),
        ),
        worktrees: z.array(worktree),
        items: z.array(row),
        nextCursor: z.string().nullable(),
        truncated: z.boolean(),
        notices,
      }),
      errors: [...FOLDER_ERRORS, "GIT_CURSOR_INVALID"],
      handle: ({ params, query }) =>
        inFolder(params.id, (folder) =>
          repositories.history(folder, query.cursor, query.limit),
        ),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git/head",
      summary: "A mark that changes when the agent's repository does",
      description:
        "`key` changes with the commit and the branch, `token` with anything that the status tells. `dirty` is `null` where git takes too long to tell, or something was not looked at; a repository that takes long is looked at more seldom.",
      returns: orNone({
        key: z.string(),
        token: z.string(),
        dirty: z.boolean().nullable(),
      }),
      errors: FOLDER_ERRORS,
      handle: ({ params }) =>
        inFolder(params.id, (folder) => repositories.mark(folder)),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git/commit",
      summary: "One commit with its patch",
      description:
        "A merge is compared with its first parent. Paths are relative to the agent's folder, and only what lies in it is told. `notices` say what is not in the clone.",
      query: z.strictObject({ hash: revision }),
      returns: orNone({
        hash: z.string(),
        parents: z.array(z.string()),
        author: z.string(),
        email: z.string(),
        at: z.string(),
        committer: z.string(),
        committedAt: z.string(),
        message: z.string(),
        files: z.array(
          z.object({
            path: z.string(),
            from: z.string().nullable(),
            kind: z.enum([
              "modified",
              "added",
              "deleted",
              "renamed",
              "type-changed",
            ]),
            additions: count,
            deletions: count,
          }),
        ),
        ...patch,
      }),
      errors: REVISION_ERRORS,
      handle: ({ params, query }) =>
        inFolder(params.id, (folder) =>
          repositories.commit(folder, query.hash),
        ),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git/blob",
      summary: "The text of a file as a commit has it",
      query: z.strictObject({ hash: revision, path: pathInput }),
      returns: orNone({
        hash: z.string(),
        path: z.string(),
        text: z.string(),
        bytes: z.number(),
      }),
      errors: [
        ...REVISION_ERRORS,
        "PATH_OUTSIDE",
        "PATH_INVALID",
        "PATH_NOT_FOUND",
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
        "FILE_NOT_TEXT",
      ],
      handle: ({ params, query }) =>
        inFolder(params.id, (folder) =>
          repositories.fileAt(folder, query.hash, query.path),
        ),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/git/bytes",
      summary: "The bytes of a file as a commit has it",
      description:
        "Up to 8 MiB. A browser opens it in a sandbox or not at all.",
      query: z.strictObject({ hash: revision, path: pathInput }),
      returns: "bytes",
      errors: [
        ...REVISION_ERRORS,
        "PATH_OUTSIDE",
        "PATH_INVALID",
        "PATH_NOT_FOUND",
        "FILE_NOT_REGULAR",
        "FILE_TOO_LARGE",
      ],
      async handle({ params, query: { hash, path } }) {
        const data = await inFolder(params.id, (folder) =>
          repositories.bytesAt(folder, hash, path),
        );
        const { type, headers } = describeBytes(path);
        return bytes(type, data, headers);
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/gitstatus",
      summary: "What is changed in the agent's folder since the last commit",
      description:
        "Files in submodules are among the items, with the path of their `submodule` and without counts of their lines. `repositories` are those of their own in the folder; files in working trees and nested ones are not told. `notices` say what was not looked at. `mark` is what `git/head` gives as long as nothing changes. A path that is not UTF-8 has octal numbers for its bytes, as in `caf\\351.txt`, and is taken so by the other operations.",
      returns: orNone({
        head: z.string().nullable(),
        branch: z.string().nullable(),
        upstream: z.string().nullable(),
        ahead: count,
        behind: count,
        items: z.array(
          z.object({
            path: z.string(),
            from: z.string().nullable(),
            kind: z.enum(CHANGE_KINDS),
            staged: z.boolean(),
            partlyStaged: z.boolean(),
            submodule: z.string().nullable(),
            additions: count,
            deletions: count,
          }),
        ),
        truncated: z.boolean(),
        repositories: z.array(
          z.object({
            path: z.string(),
            kind: z.enum(["worktree", "submodule", "nested"]),
          }),
        ),
        mark: z.object({ key: z.string(), token: z.string() }),
        notices,
      }),
      errors: FOLDER_ERRORS,
      handle: ({ params }) =>
        inFolder(params.id, (folder) => repositories.status(folder)),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/gitdiff",
      summary: "A file's patch since the last commit, or that of all files",
      description:
        "`from` is where the file was before it was renamed. Without `path`, all files, those of submodules and those that are new to git included. `notices` say what could not be read, and what git said. `staged` lists files that are staged in part, with how much of each hunk is.",
      query: z.strictObject({
        path: pathInput.optional(),
        from: pathInput.optional(),
      }),
      returns: orNone({
        path: z.string().nullable(),
        ...patch,
        staged: z.array(
          z.object({
            path: z.string(),
            hunks: z.array(z.enum(["all", "part", "none"])),
          }),
        ),
      }),
      errors: [...FOLDER_ERRORS, ...PATH_ERRORS.slice(3), "FILE_TOO_LARGE"],
      handle: ({ params, query }) =>
        inFolder(params.id, (folder) =>
          repositories.diff(folder, query.path, query.from),
        ),
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/compose",
      summary: "Write a git command with its risk, and run nothing",
      description:
        "The command depends on the state of the repository: a push names where it goes, a branch does not follow the one that it starts at, and a commit takes up new files. `steps` are the words of each command in the line, `args` those of the last; `warnings` say what may be unexpected.",
      body: composeInput,
      returns: z.object({
        command: z.string(),
        steps: z.array(z.array(z.string())),
        args: z.array(z.string()),
        risk: z.enum(GIT_RISKS),
        warnings: z.array(z.string()),
      }),
      errors: [...FOLDER_ERRORS, "REVISION_INVALID", "COMPOSE_INCOMPLETE"],
      handle: ({ params, body }) =>
        inFolder(params.id, (folder) => repositories.compose(folder, body)),
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/agents/{id}/delivery",
      summary: "The state of messages to the agent, and of its branch",
      description:
        "`ways` tells how delivered messages came to the CLI, and `way` how the next one would: over its protocol and to a receiver in its screen they are confirmed, what is pasted into its terminal is not. `ahead` and `behind` are counted from the default branch; `dirty` is the number of changed files, `null` if none is known and some were not looked at. `git` is `null` without a repository, and where it cannot be read: `gitFault` then says why.",
      returns: z.object({
        tasks: z.object(
          Object.fromEntries(
            taskStatus.options.map((status) => [status, z.number()]),
          ) as Record<z.infer<typeof taskStatus>, z.ZodNumber>,
        ),
        ways: z.object({
          protocol: z.number(),
          receiver: z.number(),
          paste: z.number(),
        }),
        way: deliveryWay,
        git: z
          .object({
            branch: z.string().nullable(),
            base: z.string().nullable(),
            ahead: count,
            behind: count,
            dirty: count,
          })
          .nullable(),
        gitFault: z.string().nullable(),
      }),
      errors: FOLDER_ERRORS,
      async handle({ params }) {
        const agent = await book.get(params.id);
        const way =
          agent.mode !== "terminal"
            ? ("protocol" as const)
            : receivers.isThere(agent.id)
              ? ("receiver" as const)
              : ("paste" as const);
        const [counts, state] = await Promise.all([
          countTasks(records, agent.id),
          inFolder(agent.id, (folder) => repositories.branch(folder)),
        ]);
        return { ...counts, way, ...state };
      },
    }),
  ];
}
