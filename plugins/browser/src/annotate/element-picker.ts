import type { Clock } from "@gantry/plugin";
import type { ProtocolConnection } from "../protocol/protocol-connection.ts";
import { toLine, toText, toWebUrl } from "../records/texts.ts";
import type { TabSession } from "../view/tab-session.ts";
import type { PickedElement, PointedElement } from "../view/view-messages.ts";
import { describeElement } from "./describe-element.ts";
import { findElement, readViewport } from "./find-element.ts";
import type { Box, FoundElement, Point, Viewport } from "./find-element.ts";
import { FrameSessions } from "./frame-sessions.ts";

/** How long a page may take to answer; one that runs a script without end never does. */
const MAX_ANSWER_MS = 5_000;
const MAX_SELECTOR_LENGTH = 2_048;
const MAX_TEXT_LENGTH = 2_000;
const MAX_STYLE_LENGTH = 500;
/** Of what an operation that adds an annotation takes. */
const MAX_COORDINATE = 10_000_000;

const NOTHING = "There is nothing at this point. Point at another one.";
const CHANGED = "The page has changed in the meantime. Point at it again.";
const BUSY =
  "The page does not answer. Try again once it is idle, or load it again.";
const NO_WEB_PAGE =
  "Only pages of http and https with an address of at most 2,048 characters can be annotated.";

/** What a page is called, and where it is. */
export type ReadPage = () => { url: string; title: string };

/** Answer to {@link ElementPicker.pick}: an element, or why there is none, as text for the user. */
export type PickAnswer =
  | { element: PickedElement; problem: null }
  | { element: null; problem: string };

interface Found {
  element: FoundElement;
  viewport: Viewport;
  /** Where it is in the picture. */
  shown: Box;
}

/** Finds and describes the elements of one tab that a person points at. Draws nothing in the page. */
export class ElementPicker {
  readonly #session: TabSession;
  readonly #frames: FrameSessions;
  readonly #clock: Pick<Clock, "after">;
  readonly #readPage: ReadPage;

  constructor(options: {
    session: TabSession;
    protocol: ProtocolConnection;
    clock: Pick<Clock, "after">;
    readPage: ReadPage;
  }) {
    this.#session = options.session;
    this.#frames = new FrameSessions(options.protocol);
    this.#clock = options.clock;
    this.#readPage = options.readPage;
  }

  /** What is at a point of the picture; `null` if nothing is, or the page does not answer. */
  async point(point: Point): Promise<PointedElement | null> {
    const found = await this.#inTime(() => this.#find(point));
    return found === "late" || !found ? null : { box: found.shown };
  }

  /** Describes the element at a point of the picture. */
  async pick(point: Point): Promise<PickAnswer> {
    const { url, title } = this.#readPage();
    const address = toWebUrl(url);
    if (address === undefined) return fail(NO_WEB_PAGE);
    const found = await this.#inTime(() => this.#find(point));
    if (found === "late") return fail(BUSY);
    if (!found) return fail(NOTHING);
    const described = await this.#inTime(() => this.#describe(found));
    if (described === "late") return fail(BUSY);
    if (!described) return fail(CHANGED);
    return {
      element: { url: address, title, ...described },
      problem: null,
    };
  }

  close(): void {
    this.#frames.close();
  }

  async #find(point: Point): Promise<Found> {
    const viewport = await readViewport(this.#session);
    const { offset, scale } = viewport;
    const element = await findElement(this.#session, this.#frames, {
      x: point.x / scale + offset.x,
      y: point.y / scale + offset.y,
    });
    return { element, viewport, shown: toShownBox(element.box, viewport) };
  }

  async #describe({
    element,
    viewport,
    shown,
  }: Found): Promise<Omit<PickedElement, "url" | "title"> | undefined> {
    const description = await describeElement(element);
    if (!description) return undefined;
    const { selector, text, label, styles } = description;
    return {
      selector: toLine(selector, MAX_SELECTOR_LENGTH),
      text: toText(text, MAX_TEXT_LENGTH),
      label: toLine(label, 100),
      // A value may have characters that are not stored.
      styles: styles.flatMap(({ name, value }) => {
        const line = toLine(value, MAX_STYLE_LENGTH);
        return line === "" ? [] : [{ name, value: line }];
      }),
      shown,
      box: toPageBox(element.box, viewport),
    };
  }

  /** @returns `undefined` if the page refuses, since it was replaced or the element was removed in the meantime */
  async #inTime<Result>(
    work: () => Promise<Result | undefined>,
  ): Promise<Result | undefined | "late"> {
    const late = Promise.withResolvers<"late">();
    const stopTimer = this.#clock.after(MAX_ANSWER_MS, () =>
      late.resolve("late"),
    );
    try {
      return await Promise.race([work().catch(() => undefined), late.promise]);
    } finally {
      stopTimer();
    }
  }
}

const fail = (problem: string): PickAnswer => ({ element: null, problem });

function toShownBox(box: Box, { offset, scale }: Viewport): Box {
  return {
    x: (box.x - offset.x) * scale,
    y: (box.y - offset.y) * scale,
    width: box.width * scale,
    height: box.height * scale,
  };
}

function toPageBox(box: Box, { scroll }: Viewport): Box {
  const round = (length: number) =>
    Math.round(Math.min(MAX_COORDINATE, length) * 10) / 10;
  return {
    x: Math.max(-MAX_COORDINATE, round(box.x + scroll.x)),
    y: Math.max(-MAX_COORDINATE, round(box.y + scroll.y)),
    width: round(box.width),
    height: round(box.height),
  };
}
