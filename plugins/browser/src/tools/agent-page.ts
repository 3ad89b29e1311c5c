import { resolve } from "node:path";
import type { Clock } from "@gantry/plugin";
import { DialogIsOpen } from "./dialog-is-open.ts";
import type { ConnectGuard } from "./guard-client.ts";
import { fencePageText, toSeenText } from "./page-fence.ts";
import { findBox, findPoint, findViewport } from "./page-geometry.ts";
import type { Box } from "./page-geometry.ts";
import { PageInput } from "./page-input.ts";
import type { Point } from "./page-input.ts";
import { PageReader } from "./page-reader.ts";
import type { PageHistory } from "./page-reader.ts";
import { PageSessions } from "./page-sessions.ts";
import { Refs } from "./refs.ts";
import { toAddress } from "./to-address.ts";
import { ToolProblem } from "./tool-problem.ts";

const WAIT_STEP_MS = 250;

/** Dependencies of {@link AgentPage}. */
export interface PageHost {
  clock: Pick<Clock, "sleep" | "monotonic">;
  /** The agent's working folder. */
  folder(): string | null;
  /** Whether the agent may open tabs. */
  mayOpenTabs(): boolean;
  /**
   * Runs `work`, which opens an address, if the agent may open it; asks the user if necessary.
   *
   * @throws ToolProblem if it may not
   */
  open<Result>(
    url: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** The browser as seen and used by one session of an agent: its tabs, the newest snapshot, mouse and keyboard. */
export class AgentPage {
  readonly input: PageInput;
  readonly #host: PageHost;
  readonly #refs = new Refs();
  readonly #sessions: PageSessions;
  readonly #reader: PageReader;

  constructor(host: PageHost) {
    this.#host = host;
    this.#sessions = new PageSessions({
      mayOpenTabs: () => host.mayOpenTabs(),
      onPageChanged: () => this.#refs.clear(),
    });
    this.#reader = new PageReader(host.clock, this.#sessions, this.#refs);
    this.input = new PageInput({
      sleep: (ms, signal) => host.clock.sleep(ms, signal),
      call: (method, params, options) =>
        this.call(method, params, options).catch((error: unknown) => {
          // Input that opened a dialog has succeeded.
          if (!(error instanceof DialogIsOpen)) throw error;
        }),
    });
  }

  /** Connects the agent to a browser, with its tabs there. Returns a function that disconnects it. */
  join(connect: ConnectGuard): Promise<() => void> {
    return this.#sessions.join(connect);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#host.clock.sleep(ms, signal);
  }

  /** Marks text as content of the page. */
  fence(text: string): string {
    return fencePageText(toSeenText(text));
  }

  /**
   * Calls a method on the current tab.
   *
   * @throws ToolProblem with the message of the guard or Chromium, or if a dialog is open
   */
  async call<Result = Record<string, unknown>>(
    method: string,
    params: Record<string, unknown> = {},
    options: { signal?: AbortSignal } = {},
  ): Promise<Result> {
    const tab = await this.#sessions.tab();
    const send = (signal?: AbortSignal) =>
      this.#sessions.send<Result>(method, params, tab.sessionId, signal);
    if (method === "Page.handleJavaScriptDialog") return await send();
    return await this.#sessions.unlessDialog(tab, (left) =>
      send(options.signal ? AbortSignal.any([options.signal, left]) : left),
    );
  }

  /** Calls a method on an element of the newest snapshot. */
  async callOn<Result = Record<string, unknown>>(
    ref: string,
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Result> {
    const tab = await this.#sessions.tab();
    const { sessionId, backendNodeId } = this.#refs.find(ref);
    const all = { ...params, backendNodeId };
    return await this.#sessions.unlessDialog(tab, (signal) =>
      this.#sessions.send<Result>(method, all, sessionId, signal),
    );
  }

  /** Scrolls an element into the viewport and returns its centre. */
  async pointOf(ref: string): Promise<Point> {
    await this.callOn(ref, "DOM.scrollIntoViewIfNeeded");
    return await this.#measure((tab, call) =>
      findPoint(ref, this.#refs.find(ref), tab, call),
    );
  }

  /** The box of an element in coordinates of the whole page. */
  async boxOf(ref: string): Promise<Box> {
    return await this.#measure((tab, call) =>
      findBox(ref, this.#refs.find(ref), tab, call),
    );
  }

  /** The box of the whole page, limited to a height. */
  async contentBox(maxHeight: number): Promise<Box> {
    const { content } = await this.#measure((tab, call) =>
      findViewport(tab.sessionId, call),
    );
    return { ...content, height: Math.min(content.height, maxHeight) };
  }

  async hasDialog(): Promise<boolean> {
    return (await this.#sessions.tab()).dialog !== null;
  }

  /** @throws ToolProblem if there is no such tab */
  showTab(position: number): void {
    this.#sessions.tabs.show(position);
  }

  async closeTab(): Promise<void> {
    await this.#sessions.closeTab();
  }

  /** Goes back (-1) or forward (1) in the tab's history. */
  async goInHistory(step: 1 | -1): Promise<void> {
    const { entries, currentIndex } = await this.call<PageHistory>(
      "Page.getNavigationHistory",
    );
    const entry = entries[currentIndex + step];
    if (!entry)
      throw new ToolProblem(
        `There is no page ${step === 1 ? "after" : "before"} this one.`,
      );
    await this.call("Page.navigateToHistoryEntry", { entryId: entry.id });
  }

  /** Opens an address and returns a snapshot of the page. */
  async navigate(to: string, signal: AbortSignal): Promise<string> {
    const url = toAddress(to);
    return await this.#host.open(url, signal, async () => {
      const { errorText = "" } = await this.call<{ errorText?: string }>(
        ...(["Page.navigate", { url }, { signal }] as const),
      );
      if (errorText !== "")
        throw new ToolProblem(`The page did not open: ${errorText}.`);
      return await this.snapshotWhenQuiet(signal);
    });
  }

  /** Resolves a path that the agent gave; relative ones start in its folder. The guard judges the result. */
  toFilePath(file: string): string {
    return resolve(this.#host.folder() ?? "/", file);
  }

  /** Repeats `check` until it is true. Returns whether it became true in time. */
  async waitFor(
    check: () => Promise<boolean>,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock } = this.#host;
    const end = clock.monotonic() + ms;
    for (;;) {
      if (await check()) return true;
      const left = end - clock.monotonic();
      if (left <= 0) return false;
      await clock.sleep(Math.min(WAIT_STEP_MS, left), signal);
    }
  }

  /** Returns the current page as text. */
  snapshot(signal: AbortSignal): Promise<string> {
    return this.#reader.snapshot(signal);
  }

  /** The lines of the snapshot without the marks that enclose it. */
  snapshotLines(signal: AbortSignal): Promise<string[]> {
    return this.#reader.lines(signal);
  }

  /** Returns the page as text when it has loaded and stopped changing, or after a timeout. */
  snapshotWhenQuiet(signal: AbortSignal): Promise<string> {
    return this.#reader.snapshotWhenQuiet(signal);
  }

  async #measure<Result>(
    measure: (
      tab: Awaited<ReturnType<PageSessions["tab"]>>,
      call: <Answer>(
        method: string,
        params: Record<string, unknown>,
        sessionId: string,
      ) => Promise<Answer>,
    ) => Promise<Result>,
  ): Promise<Result> {
    const tab = await this.#sessions.tab();
    return await this.#sessions.unlessDialog(tab, (signal) =>
      measure(tab, (method, params, sessionId) =>
        this.#sessions.send(method, params, sessionId, signal),
      ),
    );
  }
}
