import type { Clock } from "@gantry/plugin";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { InputGate } from "./input-gate.ts";
import type { TabPart, TabSession } from "./tab-session.ts";
import type { ViewSize } from "./view-messages.ts";
import type { Picture } from "./viewers.ts";

const JPEG_QUALITY = 60;
const STILL_QUALITY = 80;
/** A page without a new frame for this long is idle. */
const REST_MS = 150;
/** Input that causes no frame within this time either changed nothing, or its frame was lost. */
const INPUT_REST_MS = 500;
/** Frames within this time after a still may be caused by taking it. */
const OWN_FRAME_MS = 100;
/** About 100 kB each. */
const MAX_OWN_FRAMES = 8;

export const DEFAULT_SIZE: ViewSize = {
  width: 1280,
  height: 800,
  scale: 1,
  touch: false,
};

/**
 * Pictures of one tab while it has viewers: JPEG frames while the page changes, and one sharp still once it is idle.
 * The still also guarantees that viewers see the last change, since Chromium occasionally loses a frame.
 *
 * Taking a still causes frames, which at scales other than 1 look different from those before. A frame that arrives
 * with a still may be one of these or a change of the page, so it triggers one more still. When the same frame arrives
 * with that still, it is known and triggers no further one; otherwise the stills would never end.
 */
export class Screencast implements TabPart {
  readonly #session: TabSession;
  readonly #clock: Clock;
  readonly #show: (picture: Picture) => void;
  readonly #onRest: () => void;
  readonly #gate: InputGate;
  #size = DEFAULT_SIZE;
  #zoom = 1;
  #isRunning = false;
  #lastFrame: string | undefined;
  #lastStill: string | undefined;
  #newest: Picture | undefined;
  #stopTimer: (() => void) | undefined;
  #isTakingStill = false;
  #ownFramesUntil = -1;
  /** Frames caused by stills since the page last changed. */
  readonly #ownFrames = new Set<string>();
  #hasInput = false;
  #isPaused = false;
  /** Size changes in progress, and how many there have been. */
  #applying = 0;
  #lastApply = Promise.resolve();
  #generation = 0;
  /** Size of the page in the frames that are arriving. */
  #shownSize = { width: DEFAULT_SIZE.width, height: DEFAULT_SIZE.height };

  constructor(options: {
    session: TabSession;
    clock: Clock;
    gate: InputGate;
    show(picture: Picture): void;
    /** Called when a page is idle again after a change or input, and has handled that. */
    onRest(): void;
  }) {
    this.#session = options.session;
    this.#clock = options.clock;
    this.#gate = options.gate;
    this.#show = (picture) => options.show(picture);
    this.#onRest = () => options.onRest();
  }

  /** The newest picture, for a new viewer. */
  get newest(): Picture | undefined {
    return this.#newest;
  }

  /** Size of the page in CSS pixels; smaller than the viewer when it is zoomed in. */
  get pageSize(): { width: number; height: number } {
    return {
      width: Math.max(1, Math.round(this.#size.width / this.#zoom)),
      height: Math.max(1, Math.round(this.#size.height / this.#zoom)),
    };
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    await this.#apply();
  }

  stop(): void {
    this.#isRunning = false;
    this.#rest();
    this.#newest = undefined;
    // The next viewer starts at the page's own size.
    this.#zoom = 1;
    this.#session.post("Page.stopScreencast");
  }

  close(): void {
    this.#isRunning = false;
    this.#rest();
  }

  async resize(size: ViewSize): Promise<void> {
    const { width, height, scale, touch } = this.#size;
    if (
      size.width === width &&
      size.height === height &&
      size.scale === scale &&
      size.touch === touch
    )
      return;
    this.#size = size;
    if (this.#isRunning) await this.#apply();
  }

  async zoom(percent: number): Promise<void> {
    this.#zoom = percent / 100;
    if (this.#isRunning) await this.#apply();
  }

  /** Called on user input: frames that follow are changes of the page, not caused by a still. */
  noteInput(): void {
    this.#hasInput = true;
    if (this.#isRunning && !this.#stopTimer) this.#arm(INPUT_REST_MS);
  }

  /** Sends input to the page, once no still distorts it. A still follows, which shows what it has changed. */
  runInput(work: () => void): void {
    this.#gate.run(() => {
      this.noteInput();
      work();
    });
  }

  /** A page with an open dialog cannot be captured. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused && this.#isRunning) this.#arm(REST_MS);
  }

  take({ method, params }: ProtocolEvent): void {
    if (method !== "Page.screencastFrame") return;
    const { data, sessionId } = params as { data: string; sessionId: number };
    // Acknowledged at once: while two frames are unacknowledged Chromium drops frames permanently, including the last one.
    this.#session.post("Page.screencastFrameAck", { sessionId });
    // A frame of an earlier size would be taken for one of the current size.
    if (!this.#isRunning || this.#applying > 0) return;
    if (data === this.#lastFrame) return;
    this.#lastFrame = data;
    const isPerhapsOwn =
      !this.#hasInput &&
      (this.#isTakingStill || this.#clock.monotonic() <= this.#ownFramesUntil);
    if (isPerhapsOwn) {
      if (this.#ownFrames.has(data)) return;
      this.#noteOwnFrame(data);
      // Would replace the still with a less sharp picture. If it is a change, the next still shows it.
      return this.#arm(REST_MS);
    }
    this.#ownFrames.clear();
    this.#ownFrames.add(data);
    this.#lastStill = undefined;
    this.#arm(REST_MS);
    this.#present(data, "jpeg");
  }

  #noteOwnFrame(data: string): void {
    if (this.#ownFrames.size >= MAX_OWN_FRAMES) this.#ownFrames.clear();
    this.#ownFrames.add(data);
  }

  /** Applies the size to the page; concurrent calls run one after another. */
  #apply(): Promise<void> {
    this.#applying++;
    const work = this.#lastApply
      .then(() => this.#applySize())
      .finally(() => this.#applying--);
    this.#lastApply = work.catch(() => {});
    return work;
  }

  async #applySize(): Promise<void> {
    const { call } = this.#session;
    const { scale, touch } = this.#size;
    const { width, height } = this.pageSize;
    await call("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: scale * this.#zoom,
      mobile: touch,
    });
    await call("Emulation.setTouchEmulationEnabled", {
      enabled: touch,
      maxTouchPoints: touch ? 5 : 1,
    });
    // So that the pages of several tabs all behave as if focused.
    await call("Emulation.setFocusEmulationEnabled", { enabled: true });
    await call("Page.stopScreencast");
    this.#lastFrame = undefined;
    this.#lastStill = undefined;
    this.#ownFrames.clear();
    this.#hasInput = true;
    this.#shownSize = { width, height };
    this.#generation++;
    if (!this.#isRunning) return;
    await call("Page.startScreencast", {
      format: "jpeg",
      quality: JPEG_QUALITY,
      maxWidth: Math.ceil(width * scale * this.#zoom),
      maxHeight: Math.ceil(height * scale * this.#zoom),
    });
    this.#arm(REST_MS);
  }

  #arm(ms: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#clock.after(ms, () => {
      this.#stopTimer = undefined;
      this.#takeStill();
    });
  }

  #rest(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #takeStill(): void {
    if (this.#isPaused || !this.#isRunning || this.#applying > 0) return;
    if (this.#isTakingStill) return this.#arm(REST_MS);
    this.#isTakingStill = true;
    this.#hasInput = false;
    if (this.#size.scale * this.#zoom !== 1) this.#gate.hold();
    const startedAt = this.#clock.monotonic();
    const generation = this.#generation;
    this.#session.post(
      "Page.captureScreenshot",
      { format: "webp", quality: STILL_QUALITY, optimizeForSpeed: true },
      ({ result }) => {
        const now = this.#clock.monotonic();
        this.#isTakingStill = false;
        this.#gate.releaseAfterFrame();
        // Not earlier: the page has now handled the input that came before the still, which may have changed its title.
        this.#onRest();
        // On a busy machine the frames that a still causes are as late as the still.
        this.#ownFramesUntil = now + OWN_FRAME_MS + (now - startedAt);
        const data = result?.data as string | undefined;
        if (!this.#isRunning || generation !== this.#generation) return;
        if (data === undefined || data === this.#lastStill) return;
        this.#lastStill = data;
        this.#present(data, "webp");
      },
    );
  }

  #present(data: string, format: Picture["format"]): void {
    this.#newest = {
      bytes: Buffer.from(data, "base64"),
      ...this.#shownSize,
      format,
      still: format === "webp",
    };
    this.#show(this.#newest);
  }
}
