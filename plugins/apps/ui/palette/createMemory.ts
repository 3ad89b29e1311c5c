/** Answers that are kept for a time. */
export interface Memory<Answer> {
  /** What is kept, however old. */
  peek(key: string): Answer | undefined;
  /**
   * Returns what is kept, and loads it again if it is old. If nothing is kept, waits so long for the answer, which is kept in
   * any case. Never rejects: without an answer it gives `undefined`.
   */
  read(
    key: string,
    patienceMs: number,
    load: () => Promise<Answer>,
  ): Promise<Answer | undefined>;
}

/** Makes a memory whose answers are old after `freshMs`. */
export function createMemory<Answer>(freshMs: number): Memory<Answer> {
  const kept = new Map<string, { answer: Answer; at: number }>();
  const running = new Map<string, Promise<Answer | undefined>>();

  async function loadOnce(
    key: string,
    load: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    try {
      const answer = await load();
      kept.set(key, { answer, at: Date.now() });
      return answer;
    } catch {
      // The palette shows what it finds; the app's own page says what is wrong.
      return undefined;
    } finally {
      running.delete(key);
    }
  }

  return {
    peek: (key) => kept.get(key)?.answer,
    async read(key, patienceMs, load) {
      const found = kept.get(key);
      if (found && Date.now() - found.at < freshMs) return found.answer;
      const loading = running.get(key) ?? loadOnce(key, load);
      running.set(key, loading);
      if (found) return found.answer;
      const patience = new Promise<undefined>((resolve) =>
        setTimeout(resolve, patienceMs, undefined),
      );
      return Promise.race([loading, patience]);
    },
  };
}
