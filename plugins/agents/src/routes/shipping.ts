import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { AgentFolder } from "../folder/agent-folder.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { gitMessage } from "../repository/compose-input.ts";
import { COMMIT_DEADLINE_MS } from "../shipping/commit-staged.ts";
import { PUSH_DEADLINE_MS } from "../shipping/push-branch.ts";
import { STAGE_DEADLINE_MS } from "../shipping/staging.ts";
import { UNDERWAY } from "../shipping/underway.ts";
import { pathInput, PATH_ERRORS } from "./files.ts";
import { agentParameter } from "./inputs.ts";
import { FOLDER_ERRORS } from "./repository.ts";

/** It takes git many calls, and a large repository takes each of them long. */
const DEADLINE_MS = 60_000;
const MAX_PATHS = 5000;
export const MAX_BODY = 2 * 1024 * 1024;
const MAX_HUNK = 1024 * 1024;

const WRITE_ERRORS = [...FOLDER_ERRORS, "GIT_BUSY", "GIT_WRITE_FAILED"];
export const STAGE_ERRORS = [
  ...WRITE_ERRORS,
  "GIT_CONFLICTED",
  "GIT_PROGRAMS_NEEDED",
];

export const common = { access: "session", params: agentParameter } as const;
export const paths = z.array(pathInput).min(1);
export const hunk = z.strictObject({
  path: pathInput,
  header: z.string().min(1).max(2048),
  lines: z.string().min(1).max(MAX_HUNK),
});
const commit = z.object({ hash: z.string(), subject: z.string() });
const command = z.string();

/** Staging, committing and pushing what an agent changed. */
export function shippingRoutes(parts: PluginParts): RouteDefinition[] {
  return [
    stateRoute(parts),
    stageRoute(parts),
    ...commitRoutes(parts),
    ...pushRoutes(parts),
  ];
}

export const useFolder =
  ({ folders }: PluginParts) =>
  <Result>(
    id: string,
    work: (folder: AgentFolder) => Promise<Result>,
    deadlineMs = DEADLINE_MS,
  ) =>
    folders.use(id, work, { deadlineMs });

function stateRoute(parts: PluginParts): RouteDefinition {
  const { shipping } = parts;
  const inFolder = useFolder(parts);
  return defineRoute({
    ...common,
    method: "GET",
    path: "/api/agents/{id}/git/shipping",
    summary: "What is to be committed and pushed, and where that goes",
    description:
      "Counts are those of the agent's folder; `stagedOutside` are staged files outside of it, which a commit takes up too. `underway` ends with the next commit. `push` is where a push goes and what it takes there, as far as is known here, else `pushFault` says why there is none. `undo` is the last commit, if it can be taken back. `programs` are hooks, filters and the like that git runs if the user lets it; those that are `required` cannot be left out of what has changed now.",
    returns: z.union([
      z.object({
        git: z.literal(true),
        branch: z.string().nullable(),
        head: commit.nullable(),
        underway: z.enum(UNDERWAY).nullable(),
        staged: z.number(),
        unstaged: z.number(),
        conflicts: z.number(),
        stagedOutside: z.array(z.string()),
        push: z
          .object({
            remote: z.string(),
            address: z.string(),
            branch: z.string(),
            isDefault: z.boolean(),
            isNew: z.boolean(),
            commits: z.number(),
            behind: z.number(),
            command,
          })
          .nullable(),
        pushFault: z.string().nullable(),
        undo: commit.nullable(),
        programs: z.object({
          items: z.array(z.string()),
          required: z.array(z.string()),
          trusted: z.boolean(),
          mark: z.string(),
        }),
      }),
      z.object({ git: z.literal(false) }),
    ]),
    errors: FOLDER_ERRORS,
    handle: ({ params }) =>
      inFolder(params.id, (folder) => shipping.read(folder)),
  });
}

function stageRoute(parts: PluginParts): RouteDefinition {
  const { shipping } = parts;
  const inFolder = useFolder(parts);
  return defineRoute({
    ...common,
    method: "POST",
    path: "/api/agents/{id}/git/stage",
    summary: "Put changes into the next commit, or take them out of it",
    description:
      "Whole files by their `paths`, or one `hunk` of a file as the patch of gitdiff has it: its header, and the lines below that. `command` does the same in a shell.",
    maxBody: MAX_BODY,
    body: z.union([
      z.strictObject({ staged: z.boolean(), paths: paths.max(MAX_PATHS) }),
      z.strictObject({ staged: z.boolean(), hunk }),
    ]),
    returns: z.object({ command }),
    errors: [...STAGE_ERRORS, ...PATH_ERRORS.slice(3), "GIT_HUNK_CHANGED"],
    handle: ({ params, body }) =>
      inFolder(
        params.id,
        async (folder) => ({
          command:
            "hunk" in body
              ? await shipping.stageHunk(folder, body.hunk, body.staged)
              : await shipping.stage(folder, body.paths, body.staged),
        }),
        STAGE_DEADLINE_MS,
      ),
  });
}

function commitRoutes(parts: PluginParts): RouteDefinition[] {
  const { shipping } = parts;
  const inFolder = useFolder(parts);
  return [
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/commit",
      summary: "Commit what is staged",
      description:
        "With `all`, all changes in the folder are staged first, new files too. Hooks run, and the commit is signed, only where the user lets git run programs; `output` is what they said.",
      body: z.strictObject({
        message: gitMessage.refine((text) => text.trim() !== "", {
          error: "must say what changed",
        }),
        all: z.boolean().default(false),
      }),
      returns: z.object({
        hash: z.string(),
        subject: z.string(),
        command,
        output: z.string(),
      }),
      errors: [
        ...STAGE_ERRORS,
        "GIT_HOOK_FAILED",
        "GIT_IDENTITY_MISSING",
        "GIT_NOTHING_STAGED",
        "GIT_SIGNING_FAILED",
      ],
      handle: ({ params, body }) =>
        inFolder(
          params.id,
          (folder) => shipping.commit(folder, body),
          COMMIT_DEADLINE_MS,
        ),
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/undo-commit",
      summary: "Take the last commit back",
      description:
        "What it changed stays as it is, staged. Only the commit that `hash` names, if it is the last one, no merge, and no remote has it.",
      body: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{40,64}$/) }),
      returns: z.object({ message: z.string(), command }),
      errors: [...WRITE_ERRORS, "GIT_UNDO_IMPOSSIBLE"],
      handle: ({ params, body }) =>
        inFolder(params.id, (folder) => shipping.undoCommit(folder, body.hash)),
    }),
  ];
}

function pushRoutes(parts: PluginParts): RouteDefinition[] {
  const { shipping } = parts;
  const inFolder = useFolder(parts);
  return [
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/push",
      summary: "Push the branch that is checked out",
      description:
        "To the branch of the same name, which it follows from then on; nothing is overwritten there. A remote that is no address of HTTP or SSH, such as a folder, needs the user's leave for git to run programs.",
      body: z.strictObject({}),
      returns: z.object({
        remote: z.string(),
        branch: z.string(),
        command,
        output: z.string(),
      }),
      errors: [
        ...WRITE_ERRORS,
        "GIT_HOOK_FAILED",
        "GIT_PROGRAMS_NEEDED",
        "GIT_PUSH_DENIED",
        "GIT_PUSH_IMPOSSIBLE",
        "GIT_PUSH_REJECTED",
        "GIT_REMOTE_UNREACHABLE",
      ],
      handle: ({ params }) =>
        inFolder(
          params.id,
          (folder) => shipping.push(folder, params.id),
          PUSH_DEADLINE_MS,
        ),
    }),
    defineRoute({
      ...common,
      method: "POST",
      path: "/api/agents/{id}/git/programs",
      summary: "Let git run the programs of the repository, or stop that",
      description:
        "Hooks, filters, signing and what its settings name then run as in the user's own terminal, in all working trees of the repository, until `mark` becomes another one.",
      body: z.strictObject({
        mark: z.string().min(1).max(128),
        trusted: z.boolean(),
      }),
      returns: z.object({ trusted: z.boolean() }),
      errors: [...FOLDER_ERRORS, "GIT_PROGRAMS_CHANGED"],
      handle: ({ params, body }) =>
        inFolder(params.id, async ({ root }) => {
          await shipping.trust.set(root, body.mark, body.trusted);
          return { trusted: body.trusted };
        }),
    }),
  ];
}
