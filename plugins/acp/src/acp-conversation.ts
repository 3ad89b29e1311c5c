import { driverErrors } from "@gantry/agent-kit";
import {
  methods,
  type ClientContext,
  type InitializeResponse,
} from "@agentclientprotocol/sdk";
import * as z from "zod";
import type {
  AgentCapabilities,
  OpenSession,
  SessionFork,
} from "@gantry/agent-kit";
import { toMcpServers } from "./acp-tool-servers.ts";
import {
  configOptions,
  optionValues,
  type ConfigOption,
} from "./acp-updates.ts";

/** An opened conversation. */
export interface OpenedConversation {
  sessionId: string;
  model: string | null;
  capabilities: Partial<AgentCapabilities>;
  /** A notice for the user if the conversation is not the requested one. */
  notice: string | null;
}

/** Dependencies of {@link openConversation}. */
export interface ConversationHost {
  agent: ClientContext;
  hello: InitializeResponse;
  input: OpenSession;
  /** Called before an old conversation is loaded, since its updates arrive before the answer. */
  expect(sessionId: string): void;
}

/** Error codes of the protocol. */
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

/** Starts a conversation or continues an old one, and applies the agent's settings. */
export async function openConversation(
  host: ConversationHost,
): Promise<OpenedConversation> {
  const { hello, input } = host;
  try {
    const resumed = input.resume
      ? input.resume.fork
        ? await fork(host, input.resume.sessionId, input.resume.fork)
        : await resume(host, input.resume.sessionId)
      : undefined;
    const opened = resumed ?? (await begin(host));
    const options = configOptions.parse(opened.options) ?? [];
    const sessionId = opened.sessionId;
    await choose(host, sessionId, options, "model", input.model);
    await choose(host, sessionId, options, "thinking", input.thinking);
    const model = input.model ?? optionFor(options, "model")?.currentValue;
    return {
      sessionId,
      model: typeof model === "string" ? model : null,
      capabilities: {
        resume: canLoad(hello) || canResume(hello),
        clone: forkOf(hello) !== undefined,
        fork: forkOf(hello)?.keepsPrompts ?? false,
        images: hello.agentCapabilities?.promptCapabilities?.image ?? false,
        model: optionFor(options, "model") !== undefined,
        thinking: optionFor(options, "thinking") !== undefined,
      },
      notice: input.resume && !resumed ? FRESH_NOTICE : null,
    };
  } catch (error) {
    if (codeOf(error) !== AUTH_REQUIRED) throw error;
    throw new Error(
      `It wants you to log in first; run it once in a terminal. (${(error as Error).message})`,
      {
        cause: error,
      },
    );
  }
}

const FRESH_NOTICE =
  "The agent has no record of the conversation so far, so it starts over: it does not know what was said before.";

interface Opened {
  sessionId: string;
  options: unknown;
}

async function begin({
  agent,
  input,
  expect,
}: ConversationHost): Promise<Opened> {
  const answer = await agent.request(methods.agent.session.new, {
    cwd: input.cwd,
    mcpServers: toMcpServers(input.tools),
  });
  expect(answer.sessionId);
  return { sessionId: answer.sessionId, options: answer.configOptions };
}

async function resume(
  host: ConversationHost,
  sessionId: string,
): Promise<Opened | undefined> {
  const { agent, hello, input, expect } = host;
  const params = {
    sessionId,
    cwd: input.cwd,
    mcpServers: toMcpServers(input.tools),
  };
  expect(sessionId);
  try {
    if (canResume(hello)) {
      const answer = await agent.request(methods.agent.session.resume, params);
      return { sessionId, options: optionsOf(answer) };
    }
    if (canLoad(hello)) {
      const answer = await agent.request(methods.agent.session.load, params);
      return { sessionId, options: optionsOf(answer) };
    }
    return undefined;
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
    return undefined;
  }
}

/** An extension of the protocol: how many prompts a copy keeps. The protocol itself copies all. */
const KEEP_PROMPTS = "gantry.keepPrompts";

const forkCapability = z.object({
  agentCapabilities: z.object({
    sessionCapabilities: z.object({
      fork: z.looseObject({
        _meta: z
          .looseObject({ [KEEP_PROMPTS]: z.boolean().catch(false) })
          .nullish()
          .catch(null),
      }),
    }),
  }),
});

/** The agent's support for copies, `undefined` if it has none. The library does not know of them yet. */
function forkOf(
  hello: InitializeResponse,
): { keepsPrompts: boolean } | undefined {
  const { data } = forkCapability.safeParse(hello);
  const fork = data?.agentCapabilities.sessionCapabilities.fork;
  return fork && { keepsPrompts: fork._meta?.[KEEP_PROMPTS] ?? false };
}

const forked = z.looseObject({
  sessionId: z.string().min(1),
  configOptions: z.unknown().optional(),
});

async function fork(
  { agent, hello, input, expect }: ConversationHost,
  sessionId: string,
  { keepPrompts }: SessionFork,
): Promise<Opened> {
  const offered = forkOf(hello);
  const capability = keepPrompts === null ? "clone" : "fork";
  if (!offered || (keepPrompts !== null && !offered.keepsPrompts))
    throw driverErrors.AGENT_UNSUPPORTED({ cli: input.cli, capability });
  const answer = forked.parse(
    await agent.request<unknown>("session/fork", {
      sessionId,
      cwd: input.cwd,
      mcpServers: toMcpServers(input.tools),
      ...(keepPrompts === null
        ? {}
        : { _meta: { [KEEP_PROMPTS]: keepPrompts } }),
    }),
  );
  expect(answer.sessionId);
  return { sessionId: answer.sessionId, options: answer.configOptions };
}

/** Agents may answer these two requests without a result. */
function optionsOf(answer: unknown): unknown {
  return (answer as { configOptions?: unknown } | null | undefined)
    ?.configOptions;
}

function canResume(hello: InitializeResponse): boolean {
  return Boolean(hello.agentCapabilities?.sessionCapabilities?.resume);
}

function canLoad(hello: InitializeResponse): boolean {
  return hello.agentCapabilities?.loadSession ?? false;
}

const CATEGORIES = { model: "model", thinking: "thought_level" } as const;

function optionFor(
  options: readonly ConfigOption[],
  what: keyof typeof CATEGORIES,
): ConfigOption | undefined {
  return options.find(({ category }) => category === CATEGORIES[what]);
}

async function choose(
  { agent, input }: ConversationHost,
  sessionId: string,
  options: readonly ConfigOption[],
  what: keyof typeof CATEGORIES,
  value: string | null,
): Promise<void> {
  if (value === null) return;
  const option = optionFor(options, what);
  if (!option)
    throw driverErrors.AGENT_UNSUPPORTED({ cli: input.cli, capability: what });
  const values = optionValues(option);
  if (!values.includes(value)) {
    throw new Error(
      `It has no ${what} "${value}"; it offers ${values.slice(0, 20).join(", ")}.`,
    );
  }
  await agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: option.id,
    value,
  });
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: unknown } | null)?.code as number | undefined;
}
