import type { Clock, Log, RunningProcess } from "@gantry/plugin";
import type { SessionEnd } from "../agent-session.ts";
import { lastOutput } from "./last-output.ts";
import { LineChannel, type WireReader } from "./line-channel.ts";
import { SessionGone } from "./session-gone.ts";

/** How long after the end of a process its last output may take to arrive. */
const DRAIN_MS = 1000;

const INPUT_CLOSED = "It has closed its input.";

/** How long a process whose input has closed may take to be seen exiting. */
const INPUT_MS = 500;

/** A CLI that speaks JSON lines: its process, its messages, and a description of how it ended. */
export class AgentProcess {
  /** Resolves when the process has ended and all of its output was read. */
  readonly ended: Promise<SessionEnd>;
  /** Aborts when nothing can be sent or received any more. */
  readonly gone: AbortSignal;
  readonly #channel: LineChannel;
  readonly #process: RunningProcess;
  readonly #gone = new AbortController();
  #fault: string | undefined;
  #hasExited = false;
  /** Killed because it did not read its input. */
  #hasIgnoredInput = false;
  /** This side is ending it, which closes its input. */
  #isEnding = false;

  constructor(
    process: RunningProcess,
    reader: WireReader,
    { clock, log }: { clock: Clock; log: Log },
  ) {
    this.#process = process;
    this.gone = this.#gone.signal;
    // Everything after a protocol violation is ignored, so that a clean exit does not hide it.
    const untilFault: WireReader = {
      value: (value) =>
        this.#fault === undefined ? reader.value(value) : undefined,
      oversized: (line) =>
        this.#fault === undefined ? reader.oversized(line) : undefined,
    };
    this.#channel = new LineChannel(process, untilFault, log, () =>
      this.#inputClosed(clock),
    );
    // Without output there are no more events.
    void this.#channel.drained.then(() => process.end());
    this.ended = this.#watch(clock);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /**
   * Writes one value as a line. Rejects if `signal` aborts meanwhile, and with {@link SessionGone}, which describes how
   * the process ended, if it no longer reads.
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

  /** Ends the process because it violated its protocol. */
  fail(message: string): void {
    if (this.#hasExited) return;
    this.#fault ??= message;
    void this.#process.kill();
  }

  /** Kills a CLI that does not read its input, unless it is about to exit by itself, since its exit explains more. */
  #inputClosed(clock: Clock): void {
    if (this.#isEnding) return;
    const stop = clock.after(INPUT_MS, () => {
      this.#hasIgnoredInput = true;
      void this.#process.kill();
    });
    void this.#process.exited.then(stop);
  }

  async #watch(clock: Clock): Promise<SessionEnd> {
    const exit = await this.#process.exited;
    this.#hasExited = true;
    const waited = new AbortController();
    const drainTime = clock
      .sleep(DRAIN_MS, waited.signal)
      .catch(() => undefined);
    const { drained, errorsDrained } = this.#channel;
    await Promise.race([Promise.all([drained, errorsDrained]), drainTime]);
    waited.abort();
    this.#process.stdout.destroy();
    // A process that exited by itself has an exit code and may have written the reason.
    const hasIgnoredInput = this.#hasIgnoredInput && exit.code === null;
    const fault = this.#fault ?? (hasIgnoredInput ? INPUT_CLOSED : undefined);
    const end: SessionEnd =
      fault === undefined
        ? {
            reason: "exit",
            message: describeExit(exit, this.#channel.errorTail),
          }
        : { reason: "protocol", message: fault };
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
