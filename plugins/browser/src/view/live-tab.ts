import { describeError } from "@gantry/plugin";
import type { Clock, Log } from "@gantry/plugin";
import { ElementPicker } from "../annotate/element-picker.ts";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { Tab } from "../tabs/schemas.ts";
import { DriverWatch } from "./driver-watch.ts";
import { FileChooser } from "./file-chooser.ts";
import { InputGate } from "./input-gate.ts";
import { PageDialogs } from "./page-dialogs.ts";
import { PageNavigation } from "./page-navigation.ts";
import { findText, readSelection } from "./page-text.ts";
import { Screencast } from "./screencast.ts";
import { TabInput } from "./tab-input.ts";
import { createTabSession } from "./tab-session.ts";
import type { TabPart, TabSession } from "./tab-session.ts";
import type { ViewedPage } from "./view-messages.ts";
import { Viewers } from "./viewers.ts";
import type { Viewer } from "./viewers.ts";

/** Dependencies of {@link LiveTab}. */
export interface LiveTabOptions {
  browser: RunningBrowser;
  tabId: string;
  sessionId: string;
  clock: Clock;
  log: Log;
  /** Paths of the files that were uploaded for this tab's browser, by their ids. */
  pathsOf(ids: readonly string[]): string[];
  /** The tab as it is listed; `undefined` when it is closed. */
  readTab(): Tab | undefined;
  /** Called when the page has another title. */
  onTitle(): void;
}

/**
 * One tab that has viewers: its picture, its state and the person's input. It has a session of its own with the page,
 * which ends with the last viewer, and everything that the view changed in the page with it.
 */
export class LiveTab {
  readonly viewers = new Viewers();
  readonly screencast: Screencast;
  readonly input: TabInput;
  readonly gate: InputGate;
  readonly navigation: PageNavigation;
  readonly dialogs: PageDialogs;
  readonly chooser: FileChooser;
  readonly picker: ElementPicker;
  readonly driver: DriverWatch;
  readonly #options: LiveTabOptions;
  readonly #session: TabSession;
  readonly #parts: readonly TabPart[];
  readonly #stopListening: () => void;
  #sent = "";
  #title = "";

  constructor(options: LiveTabOptions) {
    this.#options = options;
    const { browser, tabId, sessionId, clock } = options;
    const session = createTabSession(browser.protocol, tabId, sessionId);
    this.#session = session;
    this.gate = new InputGate(session, clock);
    this.screencast = new Screencast({
      ...{ session, clock, gate: this.gate },
      show: (picture) => this.viewers.show(picture),
      onRest: () => this.navigation.refresh(),
    });
    this.input = new TabInput(session);
    this.driver = new DriverWatch(clock, (driver) =>
      this.viewers.send({ type: "driver", ...driver }),
    );
    this.navigation = new PageNavigation(session, () => this.announce());
    this.dialogs = new PageDialogs(session, clock, (dialog) => {
      this.screencast.pause(dialog !== null);
      this.viewers.send({ type: "dialog", dialog });
    });
    this.chooser = new FileChooser(session, (request) =>
      this.viewers.send({ type: "files", request }),
    );
    this.picker = new ElementPicker({
      ...{ session, clock, protocol: browser.protocol },
      readPage: () => ({
        url: options.readTab()?.url ?? "",
        title: this.navigation.state.title,
      }),
    });
    this.#parts = [
      this.screencast,
      this.navigation,
      this.dialogs,
      this.chooser,
    ];
    this.#stopListening = browser.protocol.onEvent((event) => {
      if (event.sessionId === sessionId) this.#take(event);
    });
  }

  /** Starts the picture. */
  async start(): Promise<void> {
    await this.#session.call("Page.enable");
    await this.#session.call("Inspector.enable");
    await this.#session.call("Page.setInterceptFileChooserDialog", {
      enabled: true,
    });
    // Chromium draws a page behind another one rarely or not at all.
    await this.#session.call("Page.bringToFront");
    this.navigation.refresh();
    await this.screencast.start();
  }

  addViewer(viewer: Viewer): void {
    this.viewers.add(viewer);
    const page = this.#readPage();
    if (page) viewer.port.send({ type: "page", page });
    viewer.port.send({ type: "driver", ...this.driver.current });
    const dialog = this.dialogs.current;
    if (dialog) viewer.port.send({ type: "dialog", dialog });
    const request = this.chooser.current;
    if (request) viewer.port.send({ type: "files", request });
    const { newest } = this.screencast;
    if (newest) viewer.show(newest);
  }

  removeViewer(viewer: Viewer): void {
    this.viewers.remove(viewer);
    if (this.viewers.count > 0) this.applySize();
  }

  /** Gives the page the size that the first viewer requested. */
  applySize(): void {
    const { size } = this.viewers;
    if (size) this.attempt(this.screencast.resize(size));
  }

  async find(text: string, isBackwards: boolean): Promise<number> {
    this.screencast.noteInput();
    return await findText(this.#session, text, isBackwards);
  }

  async chooseFiles(ids: readonly string[]): Promise<void> {
    await this.chooser.choose(this.#options.pathsOf(ids));
  }

  async copy(): Promise<string> {
    return await readSelection(this.#session);
  }

  /** Sends viewers the state of the tab if it has changed. */
  announce(): void {
    const page = this.#readPage();
    if (!page) return;
    const text = JSON.stringify(page);
    if (text === this.#sent) return;
    this.#sent = text;
    this.viewers.send({ type: "page", page });
    if (page.title === this.#title) return;
    this.#title = page.title;
    this.#options.onTitle();
  }

  /** Runs a task in the background. It may fail at any time, since the page can be closed or replaced. */
  attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.#options.log.debug("A call to a viewed tab failed", {
        ...{ tabId: this.#options.tabId, reason: describeError(error) },
      }),
    );
  }

  /** Ends the session, and with it the changes of size. */
  close(): void {
    const { browser, sessionId } = this.#options;
    this.#stopListening();
    for (const part of this.#parts) part.close?.();
    this.picker.close();
    this.driver.close();
    this.gate.close();
    browser.protocol.post("Target.detachFromTarget", { sessionId });
  }

  #take(event: ProtocolEvent): void {
    for (const part of this.#parts) part.take(event);
    // A page that crashed is drawn by another process once it is loaded again.
    if (event.method === "Inspector.targetReloadedAfterCrash")
      this.attempt(this.screencast.start());
  }

  #readPage(): ViewedPage | undefined {
    const tab = this.#options.readTab();
    if (!tab) return undefined;
    const { url, ownerAgentId, problem } = tab;
    return { ...this.navigation.state, url, ownerAgentId, problem };
  }
}
