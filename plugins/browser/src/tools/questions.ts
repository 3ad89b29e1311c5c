import { createIdentifier, toVisibleText } from "@gantry/plugin";
import type { Clock, NewEvent } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { QuestionChanged } from "./question.ts";
import type { Question, QuestionAnswer } from "./question.ts";
import { ToolProblem } from "./tool-problem.ts";

/** How long a call waits for the user's answer. */
export const MAX_QUESTION_MS = 10 * 60_000;
/** Questions that one agent may ask within a minute; further ones are refused. */
export const MAX_QUESTIONS_A_MINUTE = 5;
const MINUTE_MS = 60_000;
/** A request that the user refused is refused without a question for this long. */
export const REFUSED_MS = 10 * 60_000;
const MAX_DETAIL_LENGTH = 500;

/** A request of an agent. */
export type Wanted = Pick<
  Question,
  "agentId" | "kind" | "site" | "tier" | "tool" | "detail"
>;

/** Shows questions in another place, such as the Inbox. */
export interface QuestionNotices {
  opened(question: Question): void;
  closed(question: Question): void;
}

interface OpenQuestion {
  question: Question;
  close(state: QuestionAnswer | "expired" | "withdrawn"): void;
}

/** Dependencies of {@link Questions}. */
export interface QuestionsHost {
  clock: Clock;
  emit(...events: NewEvent[]): Promise<void>;
  notices: QuestionNotices;
}

/** Questions of agents to the user. Kept in memory, as are the calls that wait for them. */
export class Questions {
  readonly #host: QuestionsHost;
  readonly #open = new Map<string, OpenQuestion>();
  /** Times of each agent's recent questions. */
  readonly #asked = new Map<string, number[]>();
  /** When each refusal expires. */
  readonly #refused = new Map<string, number>();

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  list(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /**
   * Asks the user and waits for the answer. When `signal` aborts, the question is withdrawn.
   *
   * @throws ToolProblem if the user refused or did not answer, or the agent asks too often
   */
  async ask(wanted: Wanted, signal: AbortSignal): Promise<"once" | "always"> {
    signal.throwIfAborted();
    this.#checkLimits(wanted);
    const { promise, resolve } = Promise.withResolvers<
      QuestionAnswer | "expired" | "withdrawn"
    >();
    const question = this.#toQuestion(wanted);
    const cancelTimer = this.#host.clock.after(MAX_QUESTION_MS, () =>
      entry.close("expired"),
    );
    const withdraw = () => entry.close("withdrawn");
    const entry: OpenQuestion = {
      question,
      close: (state) => {
        if (!this.#open.delete(question.id)) return;
        cancelTimer();
        signal.removeEventListener("abort", withdraw);
        this.#host.notices.closed(question);
        this.#tell(question, state);
        resolve(state);
      },
    };
    this.#open.set(question.id, entry);
    signal.addEventListener("abort", withdraw, { once: true });
    this.#host.notices.opened(question);
    this.#tell(question, "open");
    return this.#toPermission(wanted, await promise, signal);
  }

  /** Answers a question. @throws `BROWSER_QUESTION_CLOSED` (409) if it is no longer open */
  answer(id: string, answer: QuestionAnswer): Question {
    const open = this.#open.get(id);
    if (!open) throw errors.BROWSER_QUESTION_CLOSED({ id });
    open.close(answer);
    return open.question;
  }

  /** Withdraws the questions of an agent, or all of them. */
  withdraw(agentId?: string): void {
    for (const { question, close } of this.#open.values())
      if (agentId === undefined || question.agentId === agentId)
        close("withdrawn");
    if (agentId === undefined) return;
    this.#asked.delete(agentId);
    for (const key of this.#refused.keys())
      if (key.startsWith(`${agentId} `)) this.#refused.delete(key);
  }

  #toPermission(
    wanted: Wanted,
    state: QuestionAnswer | "expired" | "withdrawn",
    signal: AbortSignal,
  ): "once" | "always" {
    if (state === "once" || state === "always") return state;
    signal.throwIfAborted();
    if (state === "no") {
      const until = this.#host.clock.monotonic() + REFUSED_MS;
      this.#refused.set(toKey(wanted), until);
      throw new ToolProblem(
        "The user refused this. Do not ask for it again; continue without it.",
      );
    }
    throw new ToolProblem(
      state === "expired"
        ? "The user was asked to allow this, and did not answer. Continue without it."
        : "This is not allowed any more.",
    );
  }

  #checkLimits(wanted: Wanted): void {
    const { agentId } = wanted;
    const now = this.#host.clock.monotonic();
    for (const [key, until] of this.#refused)
      if (until <= now) this.#refused.delete(key);
    if (this.#refused.has(toKey(wanted)))
      throw new ToolProblem(
        "The user refused this already. Continue without it.",
      );
    if (this.list().some((question) => question.agentId === agentId))
      throw new ToolProblem(
        "The user is being asked about another call of yours. Wait for that one first.",
      );
    const recent = (this.#asked.get(agentId) ?? []).filter(
      (at) => now - at < MINUTE_MS,
    );
    if (recent.length >= MAX_QUESTIONS_A_MINUTE)
      throw new ToolProblem(
        "This is not allowed, and the user was asked too often within a minute. Continue without it.",
      );
    this.#asked.set(agentId, [...recent, now]);
  }

  #toQuestion({ detail, ...wanted }: Wanted): Question {
    const { clock } = this.#host;
    return {
      id: createIdentifier("bqn"),
      ...wanted,
      detail: toVisibleText(detail.slice(0, MAX_DETAIL_LENGTH)),
      createdAt: clock.timestamp(),
      expiresAt: new Date(clock.now() + MAX_QUESTION_MS).toISOString(),
    };
  }

  #tell(
    { id, agentId }: Question,
    state: "open" | QuestionAnswer | "expired" | "withdrawn",
  ): void {
    // Pages read the questions when they are opened, so a lost event does no harm.
    void this.#host
      .emit(QuestionChanged.of(id, { agentId, state }))
      .catch(() => {});
  }
}

function toKey({ agentId, kind, site, tier }: Wanted): string {
  return `${agentId} ${kind} ${site ?? tier}`;
}
