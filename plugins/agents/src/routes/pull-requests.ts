import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { LONG_DEADLINE_MS } from "../folder/folder-guard.ts";
import { isWellFormed } from "../folder/well-formed.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { MAX_BODY_BYTES, MAX_TITLE_LENGTH } from "../pull-requests/draft.ts";
import { hasControls, toPlainText } from "../plain-text.ts";
import { pullRequestView } from "../pull-requests/pull-request.ts";
import { isRefName } from "../repository/revision.ts";
import { agentParameter } from "./inputs.ts";

const FOLDER_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_FOLDER_GONE",
  "FOLDER_SILENT",
  "GIT_FAILED",
  "GIT_MISSING",
  "GIT_OBJECTS_OUTSIDE",
  "GIT_OBJECT_MISSING",
  "GIT_TIMEOUT",
  "PROCESS_NOT_STARTED",
];
const GH_ERRORS = [...FOLDER_ERRORS, "TOOL_FAILED", "TOOL_TIMEOUT"];

/** Longer than any name of a check in an answer. */
const MAX_CHECK_LENGTH = 3000;

const title = z
  .string()
  .max(MAX_TITLE_LENGTH)
  .refine((text) => text.trim() !== "", { error: "must not be empty" })
  .refine(
    (text) => !/[\n\t]/.test(text) && !hasControls(text) && isWellFormed(text),
    { error: "must be one line without control characters" },
  );

const text = z
  .string()
  .max(MAX_BODY_BYTES)
  .refine((said) => Buffer.byteLength(said) <= MAX_BODY_BYTES, {
    error: `must not be longer than ${MAX_BODY_BYTES} bytes`,
  })
  .refine(
    (said) => !hasControls(said.replaceAll("\r\n", "\n")) && isWellFormed(said),
    { error: "must not contain control characters" },
  );

const common = { access: "session", params: agentParameter } as const;

/** The pull request of an agent's branch on GitHub, through the user's own `gh`. */
export const pullRequestRoutes = (parts: PluginParts): RouteDefinition[] => [
  showState(parts),
  showLog(parts),
  showDraft(parts),
  openPullRequest(parts),
];

/** Reads the repository of an agent. GitHub is asked afterwards where that may take longer than a folder may. */
const inFolder = <Result>(
  { folders }: PluginParts,
  id: string,
  work: (folder: AgentFolder) => Promise<Result>,
) => folders.use(id, work, { deadlineMs: LONG_DEADLINE_MS });

const find = (parts: PluginParts, id: string) =>
  inFolder(parts, id, ({ root }) => parts.pullRequests.find(root));

const showState = (parts: PluginParts) =>
  defineRoute({
    ...common,
    method: "GET",
    path: "/api/agents/{id}/pr",
    summary: "The pull request of the branch that the agent is on",
    description:
      "Through the user's own `gh`, as it was at most a minute ago; with `fresh=true`, five seconds. `blocked` where it cannot be told, with the reason. `items` are its checks, those that failed first.",
    query: z.strictObject({ fresh: z.enum(["true", "false"]).optional() }),
    returns: z.object({
      status: z.enum(["ok", "none", "blocked"]),
      pr: pullRequestView.optional(),
      reason: z.string().optional(),
    }),
    errors: GH_ERRORS,
    handle: async ({ params, query }) =>
      parts.pullRequests.of(
        await find(parts, params.id),
        query.fresh === "true",
      ),
  });

const showLog = (parts: PluginParts) =>
  defineRoute({
    ...common,
    method: "GET",
    path: "/api/agents/{id}/pr/log",
    summary: "The end of the log of a check that failed",
    description:
      "The last 200 lines of the failed steps of a job of GitHub Actions, at most 32 KiB, without times and colours. `check` is the name of one of the items of the pull request that have a log. `truncated` says that there is more before it.",
    query: z.strictObject({ check: z.string().min(1).max(MAX_CHECK_LENGTH) }),
    returns: z.object({
      check: z.string(),
      text: z.string(),
      truncated: z.boolean(),
    }),
    errors: [...GH_ERRORS, "CHECK_LOG_NOT_FOUND"],
    handle: async ({ params, query }) =>
      parts.pullRequests.log(await find(parts, params.id), query.check),
  });

const showDraft = (parts: PluginParts) =>
  defineRoute({
    ...common,
    method: "GET",
    path: "/api/agents/{id}/pr/draft",
    summary: "What a new pull request of the agent's branch would say",
    description:
      "From the commits of the branch. It would go into the branch `base` of `repository`, the main one of a fork. `fault` says why there can be none, with the way out.",
    returns: z.union([
      z.object({
        title: z.string(),
        body: z.string(),
        base: z.string(),
        repository: z.string(),
      }),
      z.object({ fault: z.string() }),
    ]),
    errors: FOLDER_ERRORS,
    handle: ({ params }) =>
      inFolder(parts, params.id, ({ root }) => parts.pullRequests.draft(root)),
  });

const openPullRequest = (parts: PluginParts) =>
  defineRoute({
    ...common,
    method: "POST",
    path: "/api/agents/{id}/pr",
    summary: "Open a pull request of the branch that the agent is on",
    description:
      "Through the user's own `gh`, in the repository that the draft names; others can see it from then on. The branch has to be pushed. Without `base`, it goes into the default branch. `command` is the line for a shell that does the same.",
    idempotent: true,
    body: z.strictObject({
      title,
      body: text.default(""),
      draft: z.boolean().default(false),
      base: z
        .string()
        .max(255)
        .refine((name) => isRefName(name) && !hasControls(name), {
          error: "must be the name of a branch",
        })
        .optional(),
    }),
    returns: z.object({
      url: z.string(),
      number: z.number(),
      command: z.string(),
    }),
    errors: [...GH_ERRORS, "AGENT_TOOL_MISSING", "PULL_REQUEST_REFUSED"],
    async handle({ params: { id }, body }) {
      const plan = await inFolder(parts, id, ({ root }) =>
        parts.pullRequests.plan(root, body.base),
      );
      return await parts.pullRequests.open(id, plan, {
        title: body.title.trim(),
        body: toPlainText(body.body),
        draft: body.draft,
      });
    },
  });
