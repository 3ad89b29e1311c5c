import type { ProtocolEvent } from "../../protocol/protocol-connection.ts";
import { toAddressKind } from "../address-kind.ts";
import type { CallRefusal } from "../call-refusal.ts";
import { judgeCall } from "../judge-call.ts";
import type { CallVerdict } from "../judge-call.ts";
import { judgeFile } from "../judge-file.ts";
import { LEAVING_METHODS } from "../methods.ts";
import { isLocalName, normalizeHost } from "../site-list.ts";
import type { AgentSession } from "./agent-session.ts";
import type { GuardCore } from "./guard-core.ts";

/** A well-formed call of an agent that has not been judged yet. */
export interface AgentCall {
  id: number;
  method: string;
  params: Readonly<Record<string, unknown>>;
  /** The `sessionId` as sent, of any type. */
  sessionId: unknown;
}

/** Events that are forwarded even when the agent may not open what the page shows. */
const OUTER_EVENT = /^(Target|Page|Inspector)\./;

/** Judges the calls of one agent, using the state of its session. */
export class CallJudge {
  readonly #core: GuardCore;
  readonly #agentId: string;

  constructor(core: GuardCore, agentId: string) {
    this.#core = core;
    this.#agentId = agentId;
  }

  /** @param session The session that the call names, if it is one of this connection. */
  judge(call: AgentCall, session: AgentSession | undefined): CallVerdict {
    const { method, params, sessionId } = call;
    const isOfBrowser = sessionId === undefined;
    if (!isOfBrowser && !this.#isOwn(session))
      return refuse("this session is not the agent's");
    const rules = this.#core.options.rulesOf(this.#agentId);
    const verdict = judgeCall(
      { method, params, level: isOfBrowser ? "browser" : "page" },
      {
        tier: rules.tier,
        judgeUrl: (url) => this.#core.judgeUrl(this.#agentId, url),
        judgeFile: (path) => judgeFile(path, rules.folder),
        isKnownNode: (id) => session?.isKnownNode(id) ?? false,
        urlOfRequest: (id) => session?.urlOfRequest(id),
      },
    );
    if (verdict.refusal || !session) return verdict;
    if (method === "Page.close" && this.#isLent(session))
      return refuse("only the user closes a tab that was lent");
    if (LEAVING_METHODS.has(method)) return verdict;
    const reason = this.#core.judgeDocument(this.#agentId, session.targetId);
    return reason === null
      ? verdict
      : refuse(`of the page that is shown, ${reason}`);
  }

  /** Whether a refused address may be a server that the agent has only just started. */
  mayBecomeAllowed(call: AgentCall, { cause, url = "" }: CallRefusal): boolean {
    if (!this.#core.options.refreshPorts || cause !== "site") return false;
    if (!URL.canParse(url)) return false;
    const host = normalizeHost(new URL(url).hostname);
    return isLocalName(host) || toAddressKind(host) === "loopback";
  }

  async refresh(): Promise<void> {
    await this.#core.options.refreshPorts?.(this.#agentId).catch(() => {
      // If the scan fails, the call stays refused.
    });
  }

  /** Whether an event of a session may be forwarded: the content of a page that the agent may not open is withheld. */
  maySee({ method }: ProtocolEvent, session: AgentSession): boolean {
    if (!this.#isOwn(session)) return false;
    if (OUTER_EVENT.test(method)) return true;
    return this.#core.judgeDocument(this.#agentId, session.targetId) === null;
  }

  #isOwn(session: AgentSession | undefined): boolean {
    return (
      session !== undefined &&
      this.#core.registry.isOwn(session.rootTargetId, this.#agentId)
    );
  }

  #isLent({ rootTargetId }: AgentSession): boolean {
    return this.#core.registry.ownerOf(rootTargetId)?.isLent ?? false;
  }
}

function refuse(reason: string): CallVerdict {
  return { refusal: { reason, cause: "never" } };
}
