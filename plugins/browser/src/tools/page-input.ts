import { toKeyPress } from "./keys.ts";

/** A point in the viewport, in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

/** The parts of a page that {@link PageInput} needs. */
export interface InputHost {
  call(
    method: string,
    params: Record<string, unknown>,
    options?: { signal?: AbortSignal },
  ): Promise<unknown>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A page that opened a dialog acknowledges input only after the dialog is answered; do not wait longer than this. */
const MAX_INPUT_WAIT_MS = 1000;

/** Position of wheel events, inside even a small viewport. */
const WHEEL_POINT = { x: 200, y: 200 };

/** Mouse and keyboard of an agent, as real input events. */
export class PageInput {
  readonly #host: InputHost;

  constructor(host: InputHost) {
    this.#host = host;
  }

  /** Clicks `count` times with the left button. */
  async click(point: Point, count: number, signal: AbortSignal): Promise<void> {
    await this.#mouse({ type: "mouseMoved", ...point }, signal);
    for (let clickCount = 1; clickCount <= count; clickCount += 1)
      for (const type of ["mousePressed", "mouseReleased"])
        await this.#mouse(
          { type, ...point, button: "left", clickCount },
          signal,
        );
  }

  /** Turns the wheel; positive values scroll down. */
  async wheel(down: number, signal: AbortSignal): Promise<void> {
    const turn = { type: "mouseWheel", ...WHEEL_POINT, deltaX: 0 };
    await this.#mouse({ ...turn, deltaY: down }, signal);
  }

  /** Presses and releases a key. */
  async press(key: string, signal: AbortSignal): Promise<void> {
    const { down, up } = toKeyPress(key);
    await this.#dispatch("Input.dispatchKeyEvent", down, signal);
    await this.#dispatch("Input.dispatchKeyEvent", up, signal);
  }

  #mouse(event: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    return this.#dispatch("Input.dispatchMouseEvent", event, signal);
  }

  async #dispatch(
    method: string,
    event: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const leaving = new AbortController();
    const until = AbortSignal.any([signal, leaving.signal]);
    const answered = this.#host.call(method, event, { signal: until });
    const waited = this.#host.sleep(MAX_INPUT_WAIT_MS, until);
    try {
      await Promise.race([answered, waited]);
    } finally {
      leaving.abort();
      // Both promises are settled by now; the other result adds nothing.
      await Promise.allSettled([answered, waited]);
    }
  }
}
