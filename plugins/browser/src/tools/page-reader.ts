import type { Clock } from "@gantry/plugin";
import type { AgentTab } from "./agent-tabs.ts";
import { DialogIsOpen } from "./dialog-is-open.ts";
import { fencePageText, toSeenText } from "./page-fence.ts";
import type { PageSessions } from "./page-sessions.ts";
import { readTree } from "./read-tree.ts";
import type { Refs } from "./refs.ts";
import { writeSnapshot } from "./snapshot.ts";

/** How long a page may take to stop changing after input. */
const MAX_SETTLE_MS = 3000;
const SETTLE_STEP_MS = 100;
/** How often a page that does not stop changing is read before the last result is used. */
const MAX_READS = 5;
/** A page that takes longer than this to read is read only once. */
const SLOW_READ_MS = 400;
const MAX_HEAD_LENGTH = 500;

/** The pages that a tab has shown, and its current page. */
export interface PageHistory {
  currentIndex: number;
  entries: { id: number; url: string; title: string }[];
}

/** Reads pages as text. */
export class PageReader {
  readonly #clock: Pick<Clock, "sleep" | "monotonic">;
  readonly #sessions: PageSessions;
  readonly #refs: Refs;

  constructor(
    clock: Pick<Clock, "sleep" | "monotonic">,
    sessions: PageSessions,
    refs: Refs,
  ) {
    this.#clock = clock;
    this.#sessions = sessions;
    this.#refs = refs;
  }

  /** Returns the current page. */
  async snapshot(signal: AbortSignal): Promise<string> {
    return await this.#orDialog(async () =>
      this.#write(await this.lines(signal)),
    );
  }

  /** Returns the page when it has loaded and stopped changing, or after a timeout. */
  async snapshotWhenQuiet(signal: AbortSignal): Promise<string> {
    const end = this.#clock.monotonic() + MAX_SETTLE_MS;
    await this.#clock.sleep(SETTLE_STEP_MS, signal);
    const tab = await this.#sessions.tab();
    while (isBusy(tab) && this.#clock.monotonic() < end)
      await this.#clock.sleep(SETTLE_STEP_MS, signal);
    return await this.#orDialog(async () =>
      this.#write(await this.#linesWhenQuiet(end, signal)),
    );
  }

  /** The lines of the snapshot without the marks that enclose it; the first two are title and address. */
  async lines(signal: AbortSignal): Promise<string[]> {
    const tab = await this.#sessions.tab();
    return await this.#sessions.unlessDialog(tab, async (left) => {
      const until = AbortSignal.any([signal, left]);
      const call = <Result>(
        method: string,
        params: Record<string, unknown>,
        sessionId: string,
      ) => this.#sessions.send<Result>(method, params, sessionId, until);
      const { entries, currentIndex } = await call<PageHistory>(
        "Page.getNavigationHistory",
        {},
        tab.sessionId,
      );
      const here = entries[currentIndex];
      const head = [here?.title ?? "", here?.url ?? ""].map((line) =>
        toSeenText(line.slice(0, MAX_HEAD_LENGTH)),
      );
      return [...head, ...writeSnapshot(await readTree(tab, call), this.#refs)];
    });
  }

  async #linesWhenQuiet(end: number, signal: AbortSignal): Promise<string[]> {
    let lines: string[] = [];
    for (let look = 0; look < MAX_READS; look += 1) {
      const began = this.#clock.monotonic();
      const next = await this.lines(signal);
      const isSame = next.join("\n") === lines.join("\n");
      lines = next;
      const now = this.#clock.monotonic();
      if (isSame || now - began > SLOW_READ_MS || now > end) break;
      await this.#clock.sleep(SETTLE_STEP_MS, signal);
    }
    return lines;
  }

  #write(lines: readonly string[]): string {
    const { tabs } = this.#sessions;
    const notes = [fencePageText(lines.join("\n"))];
    if (tabs.count > 1) notes.unshift(`Tab ${tabs.position} of ${tabs.count}.`);
    const { current } = tabs;
    if (current && isBusy(current)) notes.push("The page is still loading.");
    if (current?.refused) {
      const { url, reason } = current.refused;
      current.refused = null;
      const shown = toSeenText(`${url.slice(0, MAX_HEAD_LENGTH)}\n${reason}`);
      notes.push(
        `Gantry: the tab was emptied, because it showed a page that you may not open. Open it with browser_navigate to have the user asked.\n${fencePageText(shown)}`,
      );
    }
    return notes.join("\n");
  }

  async #orDialog(read: () => Promise<string>): Promise<string> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DialogIsOpen) return error.message;
      throw error;
    }
  }
}

/** Whether a tab is loading. */
export function isBusy(tab: AgentTab): boolean {
  return tab.loading.size > 0 && tab.dialog === null;
}
