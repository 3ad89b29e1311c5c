import { createKeyedLock, isGantryError } from "@gantry/plugin";
import * as z from "zod";
import { hasTier } from "../guard/judge-call.ts";
import { AgentPage } from "./agent-page.ts";
import type { CallQueue } from "./call-queue.ts";
import { CATALOGUE, describeTools } from "./catalogue.ts";
import type { ToolDescription } from "./catalogue.ts";
import { permitSite, permitTier } from "./permits.ts";
import { ToolProblem } from "./tool-problem.ts";
import type { ToolsHost } from "./tools-host.ts";
import type { Verb, VerbContent } from "./verbs/verb.ts";

/** The answer to a call. */
export interface ToolAnswer {
  content: VerbContent[];
  isError?: true;
}

/** The browser tools on one connection of an agent's CLI. */
export class ToolSession {
  readonly #agentId: string;
  readonly #host: ToolsHost;
  readonly #queue: CallQueue;
  readonly #lock = createKeyedLock();
  readonly #page: AgentPage;
  readonly #closing = new AbortController();
  /** The browser that it is connected to, identified by the promise of its end. */
  #joined: { ended: Promise<unknown>; leave(): void } | undefined;
  /** Ends the permission for the address that was opened last, if it was given for a while. */
  #endSitePermit = () => {};

  /** @param queue Shared by all connections of the agent's session. */
  constructor(agentId: string, queue: CallQueue, host: ToolsHost) {
    this.#agentId = agentId;
    this.#queue = queue;
    this.#host = host;
    const rules = () => host.access.rulesOf(agentId);
    this.#page = new AgentPage({
      clock: host.clock,
      folder: () => rules().folder,
      mayOpenTabs: () => hasTier(rules().tier, "act"),
      open: (url, signal, work) => this.#withPermit(url, signal, work),
    });
  }

  /** The tools at the agent's tier. */
  tools(): ToolDescription[] {
    return describeTools(this.#host.access.rulesOf(this.#agentId).tier);
  }

  /** Runs one call. Never rejects: a failure is an answer with a message. */
  async call(
    name: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const until = AbortSignal.any([signal, this.#closing.signal]);
    try {
      const verb = CATALOGUE.find((each) => each.name === name);
      if (!verb) throw new ToolProblem(`There is no tool "${name}".`);
      const run = () => this.#run(verb, input, until);
      return { content: await this.#queue.run(run, until) };
    } catch (error) {
      const text = until.aborted ? "The call was cancelled." : toWords(error);
      return { content: [{ type: "text", text }], isError: true };
    }
  }

  /** Ends all calls, the connection to the browser, and what the user allowed for a while. Tabs stay open. Idempotent. */
  close(): void {
    this.#closing.abort(new ToolProblem("The session has ended."));
    this.#joined?.leave();
    this.#joined = undefined;
    this.#endSitePermit();
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
    const release = await this.#lock.run("join", () => this.#join());
    try {
      return await verb.run(this.#page, input, signal);
    } finally {
      release();
    }
  }

  /** Connects to the agent's browser, and keeps it running until the returned function is called. */
  async #join(): Promise<() => void> {
    const { ended, connect, hold } = await this.#host.open(this.#agentId);
    const release = hold();
    if (this.#joined?.ended === ended) return release;
    try {
      const leave = await this.#page.join(connect);
      const joined = { ended, leave };
      if (this.#closing.signal.aborted) leave();
      else this.#joined = joined;
      const forget = () => {
        leave();
        if (this.#joined === joined) this.#joined = undefined;
      };
      void ended.then(forget, forget);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Opens an address. A permission that is given for a while lasts until another address was opened or the session ends,
   * since the agent uses the page after this call.
   */
  async #withPermit<Result>(
    url: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const asker = { agentId: this.#agentId, url, tool: "browser_navigate" };
    const endPermit = await permitSite(this.#host, asker, signal);
    const endPrevious = this.#endSitePermit;
    if (this.#closing.signal.aborted) endPermit();
    else this.#endSitePermit = endPermit;
    try {
      return await work();
    } finally {
      endPrevious();
    }
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
