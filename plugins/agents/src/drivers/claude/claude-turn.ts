import type { TurnProblem } from "../../driver-reports.ts";

/** What a result of Claude Code means for the turn. */
export type TurnStep = "goes-on" | "is-over";

/**
 * The running turn. A message that is sent while the model answers becomes a turn of Claude Code's own; one that is sent during a
 * tool goes into the one that runs. Which of both is known by when the message is repeated to us, so a turn of ours is over when no
 * message is outstanding.
 */
export class ClaudeTurn {
  readonly id: string;
  /** It was told to stop. */
  isStopped = false;
  /** What was said since the last tool call, as far as it is known by its pieces. */
  pieces = "";
  /** It has said or done something. */
  hasWorked = false;
  /** Words that stand for a failed request, if they were the last: what they say, and what can be done about it. */
  failure: { words: string; problem: TurnProblem | null } | undefined;
  /** Its prompt is a command, whose result may have no words. */
  readonly isCommand: boolean;
  /** Messages that were sent and are not taken yet, oldest first. */
  #outstanding: { uuid: string; taken: () => void }[] = [];

  /** A message was put to work since the last result. */
  #hasTaken = false;

  constructor(id: string, isCommand = false) {
    this.id = id;
    this.isCommand = isCommand;
  }

  /** A message is in flight. The promise resolves when it is taken. */
  expect(uuid: string): Promise<void> {
    return new Promise((taken) => this.#outstanding.push({ uuid, taken }));
  }

  forget(uuid: string): void {
    this.#outstanding = this.#outstanding.filter(
      (message) => message.uuid !== uuid,
    );
  }

  /** A message was taken; without an id, the oldest. */
  take(uuid?: string): void {
    const index =
      uuid === undefined
        ? 0
        : this.#outstanding.findIndex((message) => message.uuid === uuid);
    if (index < 0) return;
    this.#hasTaken = true;
    this.#outstanding.splice(index, 1)[0]?.taken();
  }

  /** A result has come. */
  step(): TurnStep {
    // Not every command is repeated to us before its result.
    if (!this.#hasTaken) this.take();
    this.#hasTaken = false;
    return this.#outstanding.length > 0 ? "goes-on" : "is-over";
  }
}
