import type { Clock, Disposer } from "@gantry/plugin";
import type { AgentUsage } from "../agent-usage.ts";
import type { BackgroundWork } from "../driver-reports.ts";
import { describeWork, type OpenWork } from "./open-work.ts";
import { NO_ANSWER, type Turn, type TurnOutcome } from "./turn.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** How long after the end of background work the turn may take to begin in which a CLI reports it. */
const FOLLOW_UP_MS = 10_000;

/** Dependencies of {@link Jobs}. */
export interface JobsHost {
  clock: Clock;
  /** Background work that gave no sign of life for so long is not waited for any more. */
  silenceMs: number;
  /** The background work that is open is another one now. */
  onWork(): void;
  /** Background work was given up, because it was silent for too long. */
  onSilent(work: OpenWork): void;
}

/** What an agent was asked, or began by itself: a turn, the background work that came of it, and the turns after that. */
export class Job {
  readonly outcome: Promise<TurnOutcome>;
  /** The run of an automation that it belongs to. */
  readonly runId: string | null;
  readonly turns: Turn[] = [];
  /** Ids of its background work that is open. */
  readonly work = new Set<string>();
  /** The turn of it that runs. */
  current: Turn | undefined;
  /** How its last turn ended. */
  last: TurnOutcome | undefined;
  /** Work of it has ended, which the model has not been told. */
  owesReport = false;
  stopTimer: Disposer = () => undefined;
  #answer = "";
  #resolve!: (outcome: TurnOutcome) => void;

  constructor(runId: string | null) {
    this.runId = runId;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** What its turns have cost, as far as it was reported. */
  get usage(): AgentUsage {
    return this.turns.reduce(
      (sum, { usage }) => addUsage(sum, usage),
      NO_USAGE,
    );
  }

  /** Whether one of its turns had an answer. */
  get hasAnswer(): boolean {
    return this.#answer.trim() !== "";
  }

  take(outcome: TurnOutcome): void {
    this.current = undefined;
    this.last = outcome;
    if (outcome.answer.trim() !== "") this.#answer = outcome.answer;
  }

  settle(last: TurnOutcome): void {
    const answer = this.hasAnswer ? this.#answer : last.answer;
    this.#resolve({ ...last, answer, usage: this.usage });
  }
}

/**
 * The jobs of an open agent and its background work. A CLI may end a turn and continue with commands, sub-agents and monitors,
 * whose ends it reports in turns of its own; a job is over when nothing of it is open and it owes no report.
 */
export class Jobs {
  readonly #host: JobsHost;
  readonly #open: Job[] = [];
  readonly #ofTurn = new WeakMap<Turn, Job>();
  readonly #work = new Map<string, OpenWork & { stopTimer: Disposer }>();
  #quiet = Promise.withResolvers<void>();

  constructor(host: JobsHost) {
    this.#host = host;
  }

  /** Background work that is open, the oldest first. */
  get work(): OpenWork[] {
    return [...this.#work.values()].map(({ stopTimer: _, ...work }) => work);
  }

  /** Whether background work is open, or something is not answered yet. */
  get isOpen(): boolean {
    return this.#work.size > 0 || this.#open.length > 0;
  }

  /** Resolves when background work has ended and all is answered; at once if nothing is open. */
  get quiet(): Promise<void> {
    return this.isOpen ? this.#quiet.promise : Promise.resolve();
  }

  /** The job that waits for the longest; its run answers questions that come between turns. */
  get waiting(): Job | undefined {
    return this.#open.find(({ current }) => current === undefined);
  }

  /** The job that a turn belongs to which the CLI begins by itself. */
  get reported(): Job | undefined {
    const waiting = this.#open.filter(({ current }) => current === undefined);
    return waiting.find(({ owesReport }) => owesReport) ?? waiting[0];
  }

  begin(turn: Turn, job: Job): void {
    if (!this.#open.includes(job)) this.#open.push(job);
    job.stopTimer();
    job.owesReport = false;
    job.current = turn;
    job.turns.push(turn);
    this.#ofTurn.set(turn, job);
  }

  /** What all turns of a turn's job have cost, as far as it was reported. */
  usageOf(turn: Turn): AgentUsage {
    return this.#ofTurn.get(turn)?.usage ?? turn.usage;
  }

  /**
   * The model has the answer of a tool in the turn that runs, and with it the ends of work that came before: it owes no
   * report of those in another turn. What it says without such an answer, it was asked for earlier.
   */
  toldModel(turn: Turn): void {
    const job = this.#open.find(({ current }) => current === turn);
    if (job) job.owesReport = false;
  }

  /** Whether a job is over with the turn of it that runs. */
  endsWith(turn: Turn): boolean {
    const job = this.#open.find(({ current }) => current === turn);
    return job === undefined || (job.work.size === 0 && !job.owesReport);
  }

  ended(turn: Turn, outcome: TurnOutcome): void {
    const job = this.#open.find(({ current }) => current === turn);
    if (!job) return;
    job.take(outcome);
    const isGood = outcome.stopReason === "end" && !outcome.isVoid;
    if (isGood && this.#isWaiting(job)) this.#wait(job, outcome);
    else this.#settle(job, outcome);
  }

  /** The CLI began work in the background, or gave a sign of it. */
  started({ id, kind, title }: BackgroundWork): void {
    const known = this.#work.get(id);
    known?.stopTimer();
    const { clock, silenceMs } = this.#host;
    const stopTimer = clock.after(silenceMs, () => this.#gaveUp(id));
    const startedAt = known?.startedAt ?? clock.timestamp();
    const shown = title === "" ? (known?.title ?? "") : title;
    this.#work.set(id, { id, kind, title: shown, startedAt, stopTimer });
    if (!known) this.#ownerOfNew()?.work.add(id);
    if (known?.title !== shown) this.#host.onWork();
  }

  /** Work in the background is over, however it ended. */
  over(id: string): void {
    if (!this.#remove(id)) return;
    const owner = this.#open.find(({ work }) => work.delete(id));
    if (owner) owner.owesReport = true;
    this.#check(owner);
  }

  /** The user stopped everything: nothing of it is waited for. */
  stop(): void {
    for (const { id } of this.work) this.#remove(id);
    for (const job of [...this.#open]) {
      job.work.clear();
      job.owesReport = false;
      if (!job.current && job.last)
        this.#settle(job, { ...job.last, stopReason: "cancelled" });
    }
    this.#host.onWork();
  }

  /** The process is gone, and with it all of its work. Gives the words for what was open. */
  close(end: Pick<TurnOutcome, "stopReason" | "error">): string | undefined {
    const { work } = this;
    const words = work.length === 0 ? undefined : describeWork(work);
    for (const { id } of work) this.#remove(id);
    for (const job of [...this.#open]) {
      job.work.clear();
      if (job.current || !job.last) continue;
      const error =
        end.error === null ? null : `${end.error} ${words ?? ""}`.trim();
      // What it still owed would have been no more than a report.
      const isOver = words === undefined && job.hasAnswer;
      this.#settle(job, isOver ? job.last : { ...job.last, ...end, error });
    }
    this.#checkQuiet();
    return words;
  }

  #ownerOfNew(): Job | undefined {
    return this.#open.find(({ current }) => current) ?? this.#open.at(-1);
  }

  #gaveUp(id: string): void {
    const work = this.#work.get(id);
    if (!work || !this.#remove(id)) return;
    this.#host.onSilent(work);
    const owner = this.#open.find((job) => job.work.delete(id));
    this.#check(owner);
  }

  #remove(id: string): boolean {
    const work = this.#work.get(id);
    work?.stopTimer();
    const isKnown = this.#work.delete(id);
    if (isKnown) this.#host.onWork();
    return isKnown;
  }

  /** Work is over that belongs to a job, or to none that is open. */
  #check(job: Job | undefined): void {
    if (!job) return this.#checkQuiet();
    if (job.current || !job.last) return;
    if (this.#isWaiting(job)) return this.#wait(job, job.last);
    this.#settle(job, job.last);
    this.#host.onWork();
  }

  #isWaiting({ work, owesReport }: Job): boolean {
    return work.size > 0 || owesReport;
  }

  #wait(job: Job, last: TurnOutcome): void {
    job.stopTimer();
    if (job.work.size > 0) return;
    job.stopTimer = this.#host.clock.after(FOLLOW_UP_MS, () => {
      this.#settle(job, last);
      this.#host.onWork();
    });
  }

  #settle(job: Job, last: TurnOutcome): void {
    const index = this.#open.indexOf(job);
    if (index < 0) return;
    this.#open.splice(index, 1);
    job.stopTimer();
    const isEmpty =
      last.stopReason === "end" && !job.hasAnswer && !last.mayBeEmpty;
    job.settle(
      isEmpty ? { ...last, stopReason: "error", error: NO_ANSWER } : last,
    );
    this.#checkQuiet();
  }

  #checkQuiet(): void {
    if (this.isOpen) return;
    this.#quiet.resolve();
    this.#quiet = Promise.withResolvers<void>();
  }
}
