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
} from "../../driver.ts";
import { errors } from "../../errors.ts";
import { toDefaultNotice } from "../default-notice.ts";
import { describeRpcError } from "../rpc-error.ts";
import { toMcpServers } from "./acp-tool-servers.ts";
import {
  configOptions,
  optionValues,
  type ConfigOption,
} from "./acp-updates.ts";

/** A conversation that was opened. */
export interface OpenedConversation {
  sessionId: string;
  model: string | null;
  capabilities: Partial<AgentCapabilities>;
  /** For the user, if it is not what was asked for. */
  notice: string | null;
}

/** Dependencies of {@link openConversation}. */
export interface ConversationHost {
  agent: ClientContext;
  hello: InitializeResponse;
  input: OpenSession;
  /** Told before an old conversation is loaded, since its updates come before the answer. */
  expect(sessionId: string): void;
}

/** Codes of errors on the wire. */
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

/** Begins a conversation or continues an old one, and applies the agent's settings. */
export async function openConversation(
  host: ConversationHost,
): Promise<OpenedConversation> {
  const { hello, input } = host;
  const resumed = input.resume
    ? input.resume.fork
      ? await fork(host, input.resume.sessionId, input.resume.fork)
      : await resume(host, input.resume.sessionId)
    : undefined;
  const opened = resumed ?? (await begin(host));
  const options = configOptions.parse(opened.options) ?? [];
  const { sessionId } = opened;
  const fresh = input.resume && !resumed ? FRESH_NOTICE : null;
  const noModel = await choose(host, sessionId, options, "model", input.model);
  const noThinking = await choose(
    ...([host, sessionId, options, "thinking", input.thinking] as const),
  );
  const notices = [fresh, noModel, noThinking].filter((text) => text !== null);
  const own = optionFor(options, "model")?.currentValue;
  const model = noModel === null ? (input.model ?? own) : own;
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
    notice: notices.length === 0 ? null : notices.join("\n\n"),
  };
}

/** Why a request failed, as a sentence for the user. */
export function toReason(error: unknown): string {
  const reason = describeRpcError(error);
  return codeOf(error) === AUTH_REQUIRED
    ? `It wants you to log in first; run it once in a terminal. (${reason})`
    : reason;
}

/** Throws an error of the wire with its reason; others as they are. */
export function toOpenError(error: unknown): never {
  if (typeof codeOf(error) !== "number") throw error;
  throw new Error(toReason(error), { cause: error });
}

const FRESH_NOTICE =
  "The agent has no record of the conversation so far, so it begins again: it does not know what was said before.";

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

/** Not a word of the protocol: by this an agent takes how many prompts a copy is to keep. The protocol copies all. */
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

/** What the agent says of copies, `undefined` if it makes none. The library does not know of them yet. */
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
    throw errors.AGENT_UNSUPPORTED({ cli: input.cli, capability });
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

/** Agents may answer these two with nothing at all. */
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

/**
 * Sets what the agent of the user was given. One that is not offered any more leaves the agent's own choice, which is
 * said in what this gives: a conversation is worth more than a preference.
 *
 * @throws AGENT_UNSUPPORTED if the agent has no such setting
 */
async function choose(
  { agent, input }: ConversationHost,
  sessionId: string,
  options: readonly ConfigOption[],
  what: keyof typeof CATEGORIES,
  value: string | null,
): Promise<string | null> {
  if (value === null) return null;
  const option = optionFor(options, what);
  if (!option)
    throw errors.AGENT_UNSUPPORTED({ cli: input.cli, capability: what });
  const values = optionValues(option);
  const offered = values.slice(0, 20).join(", ");
  if (!values.includes(value))
    return toDefaultNotice(what, value, `it offers ${offered}`);
  try {
    await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: option.id,
      value,
    });
    return null;
  } catch (error) {
    if (typeof codeOf(error) !== "number") throw error;
    return toDefaultNotice(what, value, describeRpcError(error));
  }
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: unknown } | null)?.code as number | undefined;
}
