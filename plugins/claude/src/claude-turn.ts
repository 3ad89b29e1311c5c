/** The meaning of a Claude Code result for the turn. */
export type TurnStep = "goes-on" | "is-over";

/**
 * The running turn. A message sent while the model answers becomes a separate turn of Claude Code; one sent during a
 * tool call joins the running turn. Which of the two happened is visible only from when the message is repeated to us,
 * so a turn of ours has ended when no message is outstanding.
 */
export class ClaudeTurn {
  readonly id: string;
  /** Whether it was asked to stop. */
  isStopped = false;
  /** Text since the last tool call, as far as known from its pieces. */
  pieces = "";
  /** Messages that were sent and not started yet, oldest first. */
  #outstanding: { uuid: string; taken: () => void }[] = [];

  /** Whether a message was started since the last result. */
  #hasTaken = false;

  constructor(id: string) {
    this.id = id;
  }

  /** A message was sent. The promise resolves when Claude Code has started it. */
  expect(uuid: string): Promise<void> {
    return new Promise((taken) => this.#outstanding.push({ uuid, taken }));
  }

  forget(uuid: string): void {
    this.#outstanding = this.#outstanding.filter(
      (message) => message.uuid !== uuid,
    );
  }

  /** Claude Code has started a message; without an id, the oldest. */
  take(uuid?: string): void {
    const index =
      uuid === undefined
        ? 0
        : this.#outstanding.findIndex((message) => message.uuid === uuid);
    if (index < 0) return;
    this.#hasTaken = true;
    this.#outstanding.splice(index, 1)[0]?.taken();
  }

  /** Handles a result. */
  step(): TurnStep {
    // Not every command is repeated to us before its result.
    if (!this.#hasTaken) this.take();
    this.#hasTaken = false;
    return this.#outstanding.length > 0 ? "goes-on" : "is-over";
  }
}
