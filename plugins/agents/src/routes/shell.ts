import { defineRoute, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { checkAgentFolder } from "../folder/usable-folder.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { CODE_LANGUAGES, runCode } from "../shell/code-blocks.ts";
import { agentParameter, messageInput } from "./inputs.ts";

const RUN_ERRORS = [
  "AGENT_NOT_FOUND",
  "AGENT_FOLDER_INVALID",
  "FOLDER_SILENT",
  "AGENT_TOOL_MISSING",
  "PROCESS_NOT_STARTED",
];
const HOUR_MS = 60 * 60 * 1000;
const commandInput = messageInput.min(1).max(64 * 1024);

/** Commands and blocks of code that the user runs in the folder of an agent. */
export const shellRoutes = (parts: PluginParts): RouteDefinition[] => [
  runCommand(parts),
  abortCommands(parts),
  runBlock(parts),
];

const runCommand = ({ book, shell, guard }: PluginParts) =>
  defineRoute({
    method: "POST",
    path: "/api/agents/{id}/bash",
    summary: "Run a shell command in the agent's folder",
    description:
      "Also while the agent is closed. It continues if the caller leaves; its output is in the conversation, and the CLI gets it with the next prompt.",
    access: "session",
    idempotent: true,
    params: agentParameter,
    body: z.strictObject({
      command: commandInput,
      timeoutMs: z.number().int().min(1).max(HOUR_MS).default(HOUR_MS),
    }),
    returns: z.object({
      output: z.string(),
      exitCode: z.number().nullable(),
      truncated: z.boolean(),
      timedOut: z.boolean(),
    }),
    errors: RUN_ERRORS,
    async handle({ params, body }) {
      const agent = await book.get(params.id);
      await checkAgentFolder(guard, agent);
      return await shell.run(agent, body.command, body.timeoutMs);
    },
  });

const abortCommands = ({ book, shell }: PluginParts) =>
  defineRoute({
    method: "POST",
    path: "/api/agents/{id}/bash/abort",
    summary: "Stop the shell commands of an agent",
    description: "With everything that they started.",
    access: "session",
    params: agentParameter,
    body: z.strictObject({}),
    returns: z.object({ aborted: z.boolean() }),
    errors: ["AGENT_NOT_FOUND"],
    async handle({ params }) {
      const { id } = await book.get(params.id);
      return { aborted: shell.abort(id) };
    },
  });

const runBlock = ({ book, codeBlocks, guard, run }: PluginParts) =>
  defineRoute({
    method: "POST",
    path: "/api/agents/{id}/snippet",
    summary: "Run a block of code in the agent's folder",
    description:
      "For at most 15 s. Of what it says, the first 256 KiB of each stream are kept.",
    access: "session",
    idempotent: true,
    params: agentParameter,
    body: z.strictObject({
      lang: z.enum(CODE_LANGUAGES),
      code: commandInput,
    }),
    returns: z.object({
      exitCode: z.number().nullable(),
      stdout: z.string(),
      stderr: z.string(),
      timedOut: z.boolean(),
      truncated: z.boolean(),
    }),
    errors: RUN_ERRORS,
    async handle({ params, body, signal }) {
      const agent = await book.get(params.id);
      await checkAgentFolder(guard, agent);
      const { lang, code } = body;
      return await codeBlocks.run(agent.id, (ended) =>
        runCode(run, agent, lang, code, AbortSignal.any([signal, ended])),
      );
    },
  });
