import {
  defineRoute,
  type RequestHead,
  type RouteDefinition,
} from "@gantry/plugin";
import { TERMINAL_OPEN_ERRORS } from "@gantry/plugin-terminals/contract";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { isAgentId } from "../records/agent-record.ts";
import { AGENT_START_ERRORS } from "../rejections.ts";
import { fitsToken } from "../screens/receivers.ts";
import { agentParameter } from "./inputs.ts";

const terminalAnswer = z.object({ terminalId: z.string() });
const noBody = z.strictObject({});

/** The CLIs' own screens in terminals, and the receivers inside of them. */
export function screenRoutes(parts: PluginParts): RouteDefinition[] {
  const { records, screens, receivers } = parts;

  /** @throws AGENT_RECEIVER_UNAUTHORIZED, the same for an agent that does not exist and one without a screen */
  async function authorize(head: RequestHead): Promise<void> {
    const id = head.params["id"] ?? "";
    const header = head.header("authorization") ?? "";
    const [, token = ""] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
    const agent = isAgentId(id) ? await records.agents.get(id) : undefined;
    if (!fitsToken(token, agent?.screen?.tokenHash))
      throw errors.AGENT_RECEIVER_UNAUTHORIZED(
        {},
        { headers: { "www-authenticate": "Bearer" } },
      );
  }

  return [
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/open",
      summary: "Open the CLI's own screen in a terminal",
      description:
        "It continues the agent's conversation; as the daemon drives it, the agent is closed before. Twice gives the same terminal.",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: terminalAnswer,
      errors: [
        ...AGENT_START_ERRORS,
        ...TERMINAL_OPEN_ERRORS,
        "AGENT_RUNNING",
        "AGENT_TERMINALS_MISSING",
      ],
      handle: async ({ params, signal }) => ({
        terminalId: await screens.open(params.id, signal),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/login",
      summary: "Open the CLI's own login in a terminal",
      description:
        "The user and the CLI are alone there: credentials never pass through the daemon. It runs in a folder of the daemon's own, so that nothing of the agent's folder is run.",
      access: "session",
      params: agentParameter,
      body: noBody,
      returns: terminalAnswer,
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_UNSUPPORTED",
        "AGENT_CLI_MISSING",
        "AGENT_START_FAILED",
        "AGENT_TERMINALS_MISSING",
        ...TERMINAL_OPEN_ERRORS,
      ],
      handle: async ({ params, signal }) => ({
        terminalId: await screens.login(params.id, signal),
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/tui-hello",
      summary: "A receiver inside a CLI's screen asks for messages",
      description:
        "With the token that was made for its terminal. It waits up to 10 s for a message, and counts as there for 15 s. " +
        "`resumeKey` is what the CLI finds the conversation `sessionId` by, such as its file.",
      access: "self",
      authorize,
      body: z.strictObject({
        sessionId: z.string().min(1).max(200).nullable().default(null),
        resumeKey: z.string().min(1).max(4096).nullable().default(null),
        pid: z.number().int().positive().nullable().default(null),
      }),
      returns: z.object({
        ok: z.literal(true),
        messages: z.array(z.object({ nonce: z.string(), text: z.string() })),
      }),
      errors: ["AGENT_RECEIVER_UNAUTHORIZED"],
      async handle({ params, body: { sessionId, resumeKey }, signal }) {
        const id = params.id;
        const isOpen =
          sessionId === null ||
          (await screens.learnSession(id, { sessionId, resumeKey }));
        return {
          ok: true as const,
          messages: isOpen ? await receivers.hello(id, signal) : [],
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/tui-ack",
      summary: "A receiver inside a CLI's screen confirms a message",
      access: "self",
      authorize,
      body: z.strictObject({
        nonce: z.string().max(100),
        ok: z.boolean(),
        reason: z.string().max(1000).nullable().default(null),
      }),
      returns: okAnswer,
      errors: ["AGENT_RECEIVER_UNAUTHORIZED", "AGENT_NOTHING_TO_CONFIRM"],
      handle({ params, body: { nonce, ...confirmation } }) {
        if (!receivers.confirm(params.id, nonce, confirmation))
          throw errors.AGENT_NOTHING_TO_CONFIRM({ nonce });
        return { ok: true as const };
      },
    }),
  ];
}
