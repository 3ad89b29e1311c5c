import type { Clock, Log } from "@gantry/plugin";
import { describeElement, pickElement } from "../annotate/pick-element.ts";
import type {
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";
import type { BrowserRecords } from "../records/browser-records.ts";
import { Dialogs } from "./dialogs.ts";
import { DriverWatch } from "./driver.ts";
import { FileChooser } from "./file-chooser.ts";
import { InputGate } from "./input-gate.ts";
import { TabInput } from "./input.ts";
import { Navigation } from "./navigation.ts";
import { findText, readSelection } from "./page-text.ts";
import { SitePermissions } from "./permissions.ts";
import { DEFAULT_SIZE, Screencast } from "./screencast.ts";
import type { Tab } from "./tab.ts";
import { createTabSession } from "./tab-session.ts";
import type { TabPart, TabSession } from "./tab-session.ts";
import { Viewers } from "./viewers.ts";
import type { Viewer } from "./viewers.ts";
import { VisitLog } from "./visit-log.ts";

/** Dependencies of {@link LiveTab}. */
export interface LiveTabOptions {
  protocol: ProtocolConnection;
  targetId: string;
  sessionId: string;
  clock: Clock;
  log: Log;
  records: Pick<BrowserRecords, "history" | "permissions">;
  /** The agent that has the tab now. */
  ownerOf(): string | null;
  /** Called after each change of what {@link LiveTab.tab} gives. */
  onChange(): void;
  /** Called before an address that the user typed is opened. */
  onTyped(url: string): void;
}

type TabState = Omit<Tab, "id" | "ownerAgentId">;

/** One tab of a running browser: its state, its live picture and the user's input. */
export class LiveTab {
  readonly session: TabSession;
  readonly viewers = new Viewers();
  readonly screencast: Screencast;
  readonly input: TabInput;
  readonly gate: InputGate;
  readonly navigation: Navigation;
  readonly dialogs: Dialogs;
  readonly chooser: FileChooser;
  readonly permissions: SitePermissions;
  readonly driver: DriverWatch;
  readonly #options: LiveTabOptions;
  readonly #parts: readonly TabPart[];
  readonly #visits: VisitLog;
  readonly #frames: Set<string>;
  #state: TabState = {
    url: "about:blank",
    title: "",
    loading: false,
    canGoBack: false,
    canGoForward: false,
    dialog: null,
    error: null,
  };

  constructor(options: LiveTabOptions) {
    this.#options = options;
    const { clock, records, ownerOf } = options;
    const { protocol, targetId, sessionId } = options;
    const session = createTabSession(protocol, targetId, sessionId);
    this.session = session;
    this.#frames = new Set([targetId]);
    this.gate = new InputGate(session, clock);
    this.screencast = new Screencast({
      session,
      clock,
      gate: this.gate,
      show: (picture) => this.viewers.show(picture),
      onRest: () => this.navigation.refresh(),
    });
    this.input = new TabInput(session);
    this.driver = new DriverWatch(clock, (driver) =>
      this.viewers.send({ type: "driver", ...driver }),
    );
    this.#visits = new VisitLog(records.history, ownerOf, (error) =>
      this.fault(error),
    );
    this.navigation = new Navigation({
      session,
      change: (change) => this.#change(change),
      onArrival: (arrival) => this.#visits.arrived(arrival),
      onTitle: (url, title) => this.#visits.titled(url, title),
      onTyped: (url) => options.onTyped(url),
    });
    this.dialogs = new Dialogs(session, clock, (dialog) => {
      this.screencast.pause(dialog !== null);
      this.viewers.send({ type: "dialog", ...(dialog ?? { kind: null }) });
      this.#change({ dialog });
    });
    this.chooser = new FileChooser(session, (multiple) =>
      this.viewers.send({ type: "chooser", multiple }),
    );
    this.permissions = new SitePermissions({
      session,
      clock,
      records: records.permissions,
      origin: () => toOrigin(this.#state.url),
      // No permissions are granted in an agent's browser.
      canAsk: () => this.viewers.count > 0 && ownerOf() === null,
      ask: (question) => this.viewers.send({ type: "permission", ...question }),
      apply: (origin, name, isAllowed) =>
        setPermission(protocol, origin, name, isAllowed && ownerOf() === null),
      onFault: (error) => this.fault(error),
    });
    this.#parts = [
      this.screencast,
      this.navigation,
      this.dialogs,
      this.chooser,
      this.permissions,
    ];
  }

  get tab(): Tab {
    return {
      id: this.session.targetId,
      ownerAgentId: this.#options.ownerOf(),
      ...this.#state,
    };
  }

  /** Prepares the page; await it before the page runs. */
  async prepare(): Promise<void> {
    const { call } = this.session;
    await Promise.all([
      call("Page.enable"),
      call("Inspector.enable"),
      call("Page.setInterceptFileChooserDialog", { enabled: true }),
      // In an agent's browser the user is not asked; Chromium denies by default.
      ...(this.#options.ownerOf() === null ? [this.permissions.prepare()] : []),
      call("Emulation.setDeviceMetricsOverride", {
        width: DEFAULT_SIZE.width,
        height: DEFAULT_SIZE.height,
        deviceScaleFactor: 1,
        mobile: false,
      }),
    ]);
  }

  /** Whether a frame at any depth belongs to this tab. */
  hasFrame(frameId: string): boolean {
    return this.#frames.has(frameId);
  }

  take(event: ProtocolEvent): void {
    this.#noteFrame(event);
    for (const part of this.#parts) part.take(event);
    if (
      event.method === "Page.frameStartedLoading" &&
      this.navigation.takeCrash()
    )
      this.#restartScreencast();
  }

  /** Sends the tab's state again, for example after it was lent. */
  announce(): void {
    this.viewers.send({ type: "tab", tab: this.tab });
    this.#options.onChange();
  }

  async addViewer(viewer: Viewer): Promise<void> {
    this.viewers.add(viewer);
    const { dialog } = this.#state;
    viewer.port.send({ type: "tab", tab: this.tab });
    viewer.port.send({ type: "driver", ...this.driver.current });
    if (dialog) viewer.port.send({ type: "dialog", ...dialog });
    const { newest } = this.screencast;
    if (newest) viewer.show(newest);
    if (this.viewers.count === 1) await this.screencast.start();
  }

  removeViewer(viewer: Viewer): void {
    this.viewers.remove(viewer);
    if (this.viewers.count === 0) return this.screencast.stop();
    this.applySize();
  }

  /** Gives the page the size that the first viewer requested. */
  applySize(): void {
    const { size } = this.viewers;
    if (size) this.attempt(this.screencast.resize(size));
  }

  async find(text: string, isBackwards: boolean): Promise<number> {
    this.screencast.noteInput();
    return findText(this.session, text, isBackwards);
  }

  copy(): Promise<string> {
    return readSelection(this.session);
  }

  /** Sends a viewer the element at a point, and with `commit` everything that an annotation keeps of it. */
  async pick(
    viewer: Viewer,
    { x, y, commit }: { x: number; y: number; commit: boolean },
  ): Promise<void> {
    const element = await pickElement(this.session, x, y);
    if (!element) return viewer.port.send({ type: "picked", box: null });
    if (!commit) return viewer.port.send({ type: "picked", box: element.box });
    const { draft, label } = await describeElement(this.session, element);
    const { box, selector, text } = draft;
    viewer.port.send({ type: "picked", box, selector, text, label });
    viewer.port.send({ type: "annotation", draft });
  }

  /** Runs a task in the background; its failure is logged unless the tab has gone. */
  attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.fault(error));
  }

  fault(error: unknown): void {
    const { code } = error as { code?: unknown };
    // The page may be closed or replaced during any call.
    if (code === "BROWSER_GONE" || code === "BROWSER_PROTOCOL") return;
    this.#options.log.warn("A tab failed", { error: String(error) });
  }

  close(reason: string): void {
    for (const part of this.#parts) part.close?.();
    this.driver.close();
    this.gate.close();
    this.viewers.send({ type: "gone", reason });
  }

  #noteFrame({ method, params }: ProtocolEvent): void {
    if (method === "Page.frameAttached")
      this.#frames.add(params.frameId as string);
    // A frame that moves to another process stays part of the tab.
    if (method === "Page.frameDetached" && params.reason !== "swap")
      this.#frames.delete(params.frameId as string);
    if (method === "Page.frameNavigated")
      this.#frames.add((params.frame as { id: string }).id);
  }

  #restartScreencast(): void {
    if (this.viewers.count > 0) this.attempt(this.screencast.start());
  }

  #change(change: Partial<TabState>): void {
    const next = { ...this.#state, ...change };
    const names = Object.keys(next) as (keyof TabState)[];
    const isSame = names.every((name) => this.#state[name] === next[name]);
    if (isSame) return;
    this.#state = next;
    this.announce();
  }
}

function toOrigin(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

async function setPermission(
  protocol: ProtocolConnection,
  origin: string,
  name: string,
  isAllowed: boolean,
): Promise<void> {
  await protocol.send("Browser.setPermission", {
    origin,
    permission: { name },
    setting: isAllowed ? "granted" : "denied",
  });
}
