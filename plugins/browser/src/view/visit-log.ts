import type { History } from "../records/history.ts";
import type { Arrival } from "./navigation.ts";

/** Records the pages that one tab shows. */
export class VisitLog {
  readonly #history: Pick<History, "visit" | "setTitle">;
  readonly #ownerOf: () => string | null;
  readonly #onFault: (error: unknown) => void;
  /** The newest page, and its record as soon as it is written. */
  #url: string | undefined;
  #visitId: Promise<string | undefined> = Promise.resolve(undefined);
  #title = "";

  constructor(
    history: Pick<History, "visit" | "setTitle">,
    ownerOf: () => string | null,
    onFault: (error: unknown) => void,
  ) {
    this.#history = history;
    this.#ownerOf = ownerOf;
    this.#onFault = onFault;
  }

  arrived({ url, typed }: Arrival): void {
    if (!/^https?:/.test(url)) return;
    this.#url = url;
    this.#title = "";
    this.#visitId = this.#history
      .visit({ url, typed, agentId: this.#ownerOf() })
      .then((visit) => visit?.id)
      .catch((error: unknown) => {
        this.#onFault(error);
        return undefined;
      });
  }

  /** Sets the title of a page, often only after the visit was recorded. */
  titled(url: string, title: string): void {
    if (url !== this.#url || title === "" || title === this.#title) return;
    this.#title = title;
    this.#visitId
      .then(async (id) => {
        if (id !== undefined) await this.#history.setTitle(id, title);
      })
      .catch(this.#onFault);
  }
}
