import type { RestorePart } from "../contract.ts";

const MAX_EXAMPLES = 100;

/** What a restore would do to one record or file. */
export type Change = "added" | "changed" | "left" | "removed";

/** Counts what a restore would do to each part. */
export class PartTally {
  readonly #parts = new Map<string, RestorePart>();

  /** @param names Parts that are listed even if they are empty. */
  constructor(names: readonly string[]) {
    for (const name of names) this.#partOf(name);
  }

  /**
   * @param toExample Called for the first hundred of a part that are not left as they are.
   */
  add(
    name: string,
    change: Change,
    toExample: () => { id: string; title: string | null },
  ): void {
    const part = this.#partOf(name);
    part[change]++;
    if (change !== "left" && part.examples.length < MAX_EXAMPLES)
      part.examples.push({ ...toExample(), change });
  }

  /** In the order of their names. */
  result(): RestorePart[] {
    return [...this.#parts.values()].sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  }

  #partOf(name: string): RestorePart {
    const known = this.#parts.get(name);
    if (known) return known;
    const part: RestorePart = {
      name,
      added: 0,
      changed: 0,
      left: 0,
      removed: 0,
      examples: [],
    };
    this.#parts.set(name, part);
    return part;
  }
}
