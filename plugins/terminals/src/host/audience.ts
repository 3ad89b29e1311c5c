import type { ViewerHears } from "../wire/protocol.ts";
import { Gatherer } from "./gatherer.ts";
import { STALLED_MS } from "./viewer.ts";
import type { Viewer } from "./viewer.ts";

/** The screen as a viewer begins with it. */
export interface Picture {
  cols: number;
  rows: number;
  screen: Buffer;
}

/** Those who look at one terminal. One of them, the owner, may type and choose the size. */
export class Audience {
  readonly #viewers = new Map<number, Viewer>();
  readonly #changed: () => void;
  #owner: number | undefined;
  readonly #gatherer = new Gatherer((pieces) => this.#deliver(pieces));
  #stallTimer: NodeJS.Timeout | undefined;

  /** @param changed Is called when {@link mustWait} may have changed. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** Whether the program has to wait: of those who are with it, none has room for more. */
  get mustWait(): boolean {
    let isWaitedFor = false;
    for (const viewer of this.#viewers.values()) {
      if (viewer.isBehind) continue;
      if (viewer.hasRoom) return false;
      isWaitedFor = true;
    }
    return isWaitedFor;
  }

  isOwner(number: number): boolean {
    return this.#owner === number;
  }

  add(number: number, viewer: Viewer, picture: Picture): void {
    this.#gatherer.flush();
    this.#viewers.set(number, viewer);
    show(viewer, picture);
    this.#owner ??= number;
    this.#tellOwners();
    this.#check();
  }

  remove(number: number): void {
    if (!this.#viewers.delete(number)) return;
    if (this.#owner === number) [this.#owner] = this.#viewers.keys();
    this.#tellOwners();
    this.#check();
  }

  makeOwner(number: number): void {
    if (!this.#viewers.has(number)) return;
    this.#owner = number;
    this.#tellOwners();
  }

  refuse(number: number): void {
    this.tell(number, {
      type: "error",
      code: "TERMINAL_NOT_OWNER",
      message: "Another viewer types here; take the terminal over first.",
    });
  }

  tell(number: number, message: ViewerHears): void {
    this.#viewers.get(number)?.sink.hears(message);
  }

  /** Sends a message to all viewers, after all output so far. */
  hear(message: ViewerHears): void {
    this.#gatherer.flush();
    for (const { sink } of this.#viewers.values()) sink.hears(message);
  }

  output(chunk: Buffer): void {
    if (this.#viewers.size > 0) this.#gatherer.add(chunk);
  }

  /**
   * Records that a viewer has drawn bytes.
   *
   * @returns whether the viewer was behind, and is to get a fresh screen now
   */
  confirm(number: number, bytes: number): boolean {
    const viewer = this.#viewers.get(number);
    if (!viewer) return false;
    viewer.confirm(bytes, performance.now());
    this.#check();
    return viewer.isBehind && viewer.hasCaughtUp;
  }

  /** Gives a viewer who was behind a fresh screen. */
  refresh(number: number, picture: Picture): void {
    this.#gatherer.flush();
    const viewer = this.#viewers.get(number);
    if (!viewer?.isBehind) return;
    viewer.isBehind = false;
    show(viewer, picture);
    this.#check();
  }

  close(): void {
    this.#gatherer.flush();
    clearTimeout(this.#stallTimer);
    this.#viewers.clear();
  }

  #deliver(pieces: readonly Buffer[]): void {
    const now = performance.now();
    for (const viewer of this.#viewers.values()) {
      // A viewer that cannot keep up with the others continues with a fresh screen, instead of slowing them down.
      if (viewer.isLost) viewer.isBehind = true;
      if (!viewer.isBehind) viewer.output(pieces, now);
    }
    this.#check();
  }

  /** Checks which viewers the program waits for, now and when they count as stalled. */
  #check(): void {
    if (this.mustWait)
      this.#stallTimer ??= setTimeout(() => {
        this.#stallTimer = undefined;
        const now = performance.now();
        for (const viewer of this.#viewers.values())
          if (viewer.isStalled(now)) viewer.isBehind = true;
        this.#check();
      }, STALLED_MS / 3);
    this.#changed();
  }

  #tellOwners(): void {
    for (const [number, { sink }] of this.#viewers)
      sink.hears({
        type: "owner",
        you: number === this.#owner,
        viewers: this.#viewers.size,
      });
  }
}

function show(viewer: Viewer, { cols, rows, screen }: Picture): void {
  viewer.sink.hears({ type: "screen", cols, rows, bytes: screen.length });
  viewer.output([screen], performance.now());
}
