/** A turn that runs in a working tree. */
export interface RunningTurn {
  agentId: string;
  agentName: string;
  root: string;
  /** Names of other agents that ran there meanwhile. */
  sharedWith: Set<string>;
}

/** The turns that run, by their ids, so that it is known which of them may have changed the same files. */
export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn>();

  begin(id: string, turn: Omit<RunningTurn, "sharedWith">): void {
    const begun = { ...turn, sharedWith: new Set<string>() };
    for (const other of this.#turns.values()) {
      if (other.root !== turn.root || other.agentId === turn.agentId) continue;
      other.sharedWith.add(turn.agentName);
      begun.sharedWith.add(other.agentName);
    }
    this.#turns.set(id, begun);
  }

  end(id: string): RunningTurn | undefined {
    const turn = this.#turns.get(id);
    this.#turns.delete(id);
    return turn;
  }
}
