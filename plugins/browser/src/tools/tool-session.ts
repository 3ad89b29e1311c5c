import { createKeyedLock, isGantryError } from "@gantry/plugin";
import * as z from "zod";
import { AgentPage } from "./agent-page.ts";
import { CallQueue } from "./call-queue.ts";
import { CATALOGUE, describeTools } from "./catalogue.ts";
import type { ToolDescription } from "./catalogue.ts";
import { hasTier } from "../fence/judge-call.ts";
import { permitSite, permitTier } from "./permits.ts";
import { ToolProblem } from "./tool-problem.ts";
import type { GuardedBrowser, ToolsHost } from "./tools-host.ts";
import type { Verb, VerbContent } from "./verbs/verb.ts";

/** The answer to a call. */
export interface ToolAnswer {
  content: VerbContent[];
  isError?: true;
}

/** The browser tools in one session of an agent. */
export class ToolSession {
  readonly #agentId: string;
  readonly #host: ToolsHost;
  readonly #queue = new CallQueue();
  readonly #lock = createKeyedLock();
  readonly #page: AgentPage;
  /** Connected browsers, each with a function that disconnects it. */
  readonly #joined = new Map<object, () => void>();
  readonly #closing = new AbortController();

  constructor(agentId: string, host: ToolsHost) {
    this.#agentId = agentId;
    this.#host = host;
    const rules = () => host.rules.rulesOf(agentId);
    this.#page = new AgentPage({
      clock: host.clock,
      folder: () => rules().folder,
      mayOpenTabs: () => hasTier(rules().tier, "act"),
      onUse: (targetId) => host.noteUse?.(agentId, targetId),
      permit: (url, signal) =>
        permitSite(host, { agentId, url, tool: "browser_navigate" }, signal),
    });
  }

  /** The tools at the agent's tier. */
  tools(): ToolDescription[] {
    return describeTools(this.#host.rules.rulesOf(this.#agentId).tier);
  }

  /** Runs one call. Never rejects: a failure is an answer with a message. */
  async call(
    name: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const until = AbortSignal.any([signal, this.#closing.signal]);
    try {
      const verb = CATALOGUE.find((one) => one.name === name);
      if (!verb) throw new ToolProblem(`There is no tool "${name}".`);
      const run = () => this.#run(verb, input, until);
      return { content: await this.#queue.run(run, until) };
    } catch (error) {
      const text = until.aborted ? "The call was cancelled." : toWords(error);
      return { content: [{ type: "text", text }], isError: true };
    }
  }

  /** Ends all calls and connections; tabs stay open. Idempotent. */
  close(): void {
    this.#closing.abort(new ToolProblem("The session has ended."));
    for (const leave of this.#joined.values()) leave();
    this.#joined.clear();
  }

  async #run(
    verb: Verb,
    input: unknown,
    signal: AbortSignal,
  ): Promise<VerbContent[]> {
    const read = verb.input.safeParse(input ?? {});
    if (!read.success)
      throw new ToolProblem(
        `The input is invalid: ${z.prettifyError(read.error)}`,
      );
    const asker = { agentId: this.#agentId, verb };
    const endPermit = await permitTier(this.#host, asker, signal);
    try {
      const run = () => this.#useBrowser(verb, read.data, signal);
      // Calls that change the page run one after another, so that each answer shows the page after exactly this call.
      return verb.tier === "read" ? await run() : await this.#lock.run("", run);
    } finally {
      endPermit();
    }
  }

  async #useBrowser(
    verb: Verb,
    input: unknown,
    signal: AbortSignal,
  ): Promise<VerbContent[]> {
    const release = await this.#lock.run("join", () => this.#join(signal));
    try {
      return await verb.run(this.#page, input, signal);
    } finally {
      release();
    }
  }

  /** Connects to the browsers that the agent may use, and keeps them running until the call has ended. */
  async #join(signal: AbortSignal): Promise<() => void> {
    const { tier } = this.#host.rules.rulesOf(this.#agentId);
    const browsers = [...this.#host.lent(this.#agentId)];
    // A reader cannot open tabs, so a browser of its own would have none.
    if (hasTier(tier, "act"))
      browsers.unshift(await this.#host.open(this.#agentId, signal));
    const releases = browsers.map((browser) => browser.hold());
    try {
      for (const browser of browsers) await this.#joinOne(browser);
    } catch (error) {
      for (const release of releases) release();
      throw error;
    }
    return () => releases.forEach((release) => release());
  }

  async #joinOne(browser: GuardedBrowser): Promise<void> {
    const { ended, connect } = browser;
    // The promise identifies the browser: it is the same object at each call.
    if (this.#joined.has(ended)) return;
    const leave = await this.#page.join(connect);
    if (this.#closing.signal.aborted) return leave();
    this.#joined.set(ended, leave);
    const forget = () => {
      leave();
      this.#joined.delete(ended);
    };
    void ended.then(forget, forget);
  }
}

function toWords(error: unknown): string {
  if (error instanceof ToolProblem) return error.message;
  if (isGantryError(error))
    return error.code === "BROWSER_GONE"
      ? "The browser ended during this call. Call again: it starts again, and pages have to be opened again."
      : error.message;
  return "This failed because of an internal error. Try again.";
}
