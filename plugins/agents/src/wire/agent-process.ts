import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import type { SessionEnd } from "../driver.ts";
import { lastOutput } from "./last-output.ts";
import { LineChannel, type WireReader } from "./line-channel.ts";
import { SessionGone } from "./session-gone.ts";

/** How long after the end of a process its last output may take to arrive. */
const DRAIN_MS = 1000;

const INPUT_CLOSED = "It has closed its input.";

/** How long after its input broke a process may take to be seen ending. */
const INPUT_MS = 500;

/** A CLI that speaks JSON lines: its process, its wire, and one account of how it ended. */
export class AgentProcess {
  /** Resolves when the process is gone and all of its output was read. */
  readonly ended: Promise<SessionEnd>;
  /** Aborts when nothing can be sent or expected any more. */
  readonly gone: AbortSignal;
  readonly #channel: LineChannel;
  readonly #process: RunningProcess;
  readonly #gone = new AbortController();
  /** It was ended because it does not read its input. */
  #isDeaf = false;
  /** It is being ended by us, which closes its input. */
  #isEnding = false;

  constructor(
    process: RunningProcess,
    reader: WireReader,
    { clock, log }: { clock: Clock; log: Log },
  ) {
    this.#process = process;
    this.gone = this.#gone.signal;
    this.#channel = new LineChannel(process, reader, log, () =>
      this.#inputClosed(clock),
    );
    // A CLI that closed its output can no longer report anything, so it is useless.
    void this.#channel.drained.then(() => process.end());
    this.ended = this.#watch(clock);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Writes one value as a line. Rejects if `signal` aborts meanwhile, and with {@link SessionGone}, which tells how the
   * process ended, if it does not read any more.
   */
  async send(value: unknown, signal: AbortSignal): Promise<void> {
    try {
      await this.#channel.send(value, signal);
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      throw new SessionGone((await this.ended).message);
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#process.end();
  }

  async kill(): Promise<void> {
    this.#isEnding = true;
    await this.#process.kill();
  }

  /** A CLI that does not listen is of no use. It may be ending already; then that is what there is to tell. */
  #inputClosed(clock: Clock): void {
    if (this.#isEnding) return;
    const stop = clock.after(INPUT_MS, () => {
      this.#isDeaf = true;
      void this.#process.kill();
    });
    void this.#process.exited.then(stop);
  }

  async #watch(clock: Clock): Promise<SessionEnd> {
    const exit = await this.#process.exited;
    const waited = new AbortController();
    const drainTime = clock
      .sleep(DRAIN_MS, waited.signal)
      .catch(() => undefined);
    const { drained, errorsDrained } = this.#channel;
    await Promise.race([Promise.all([drained, errorsDrained]), drainTime]);
    waited.abort();
    this.#process.stdout.destroy();
    // One that has ended by itself has a code, and may say why.
    const isDeaf = this.#isDeaf && exit.code === null;
    const end: SessionEnd = isDeaf
      ? { reason: "protocol", message: INPUT_CLOSED }
      : {
          reason: "exit",
          message: describeExit(exit, this.#channel.errorTail),
        };
    this.#gone.abort(new SessionGone(end.message));
    return end;
  }
}

function describeExit(
  exit: { code: number | null; signal: string | null },
  errorTail: string,
): string {
  const how = exit.signal
    ? `was ended by ${exit.signal}`
    : `ended with code ${exit.code}`;
  const said = lastOutput(errorTail);
  return said ? `The process ${how} and said: ${said}` : `The process ${how}.`;
}
