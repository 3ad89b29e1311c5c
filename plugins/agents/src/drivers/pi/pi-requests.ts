/** A response of pi to one of our commands. */
export interface PiResponse {
  id?: string | undefined;
  command: string;
  success: boolean;
  data?: unknown;
  error?: string | undefined;
}

/** Commands that wait for their responses. */
export class PiRequests {
  readonly #waiting = new Map<
    string,
    {
      command: string;
      resolve: (data: unknown) => void;
      reject: (error: Error) => void;
    }
  >();
  #next = 1;

  /** Makes the line of a command, and the promise of its response. */
  create(
    type: string,
    fields: object,
  ): { line: object; response: Promise<unknown> } {
    const id = `g${this.#next++}`;
    const response = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { command: type, resolve, reject });
    });
    // The sender of the command decides whether its failure matters.
    response.catch(() => undefined);
    return { line: { id, type, ...fields }, response };
  }

  settle(response: PiResponse): void {
    const id = response.id ?? this.#oldest(response.command);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (response.success) waiting.resolve(response.data);
    else
      waiting.reject(
        new Error(response.error ?? `${response.command} failed.`),
      );
  }

  /** Ends all that wait. */
  failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Some versions answer a command that they do not know without its id. */
  #oldest(command: string): string | undefined {
    for (const [id, waiting] of this.#waiting)
      if (waiting.command === command) return id;
    return undefined;
  }
}
