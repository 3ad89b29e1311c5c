/** Requests of ours that wait for their answers. */
export class ClaudeRequests {
  readonly #waiting = new Map<
    string,
    { resolve: (answer: unknown) => void; reject: (error: Error) => void }
  >();
  #next = 1;

  /** Makes the line of a request, and the promise of its answer. */
  create(request: object): { line: object; answer: Promise<unknown> } {
    const id = `g${this.#next++}`;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    // The caller decides whether a failure matters.
    answer.catch(() => undefined);
    const line = { type: "control_request", request_id: id, request };
    return { line, answer };
  }

  settle(id: string, answer: unknown, error: string | null): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) waiting?.resolve(answer);
    else waiting?.reject(new Error(error));
  }

  /** Ends all that wait. */
  failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
