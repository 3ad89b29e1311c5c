import { createIdentifier, describeError, isIdentifier } from "@gantry/plugin";
import type { Page } from "@gantry/plugin";
import * as z from "zod";
import { AnnotationsChanged } from "./events.ts";
import type { RecordQuery } from "./history.ts";
import { openRecordLog, toPublic } from "./record-log.ts";
import type { RecordsHost } from "./records-host.ts";
import { annotation } from "./schemas.ts";
import type { Annotation } from "./schemas.ts";
import { openScreenshots } from "./screenshots.ts";
import type { Picture } from "./screenshots.ts";
import { createMatcher, toLine, toText } from "./texts.ts";

/** Once there are more, the oldest annotations are removed with their pictures. */
export const MAX_ANNOTATIONS = 1000;
export const MAX_COMMENT_LENGTH = 10_000;
export const MAX_ELEMENT_TEXT_LENGTH = 10_000;
export const MAX_HTML_LENGTH = 50_000;
export const MAX_SELECTOR_LENGTH = 10_000;
export const MAX_STYLES = 64;
const MAX_TITLE_LENGTH = 500;
const MAX_STYLE_LENGTH = 500;

/** An annotation to be stored. */
export interface AnnotationDraft extends Pick<
  Annotation,
  "url" | "title" | "selector" | "text" | "html" | "styles" | "comment" | "box"
> {
  screenshot: Picture | null;
}

/** Comments on elements of pages. */
export interface Annotations {
  /** @throws `BROWSER_DISK_FULL` (507) */
  add(draft: AnnotationDraft): Promise<Annotation>;
  get(id: string): Promise<Annotation | undefined>;
  readScreenshot(id: string): Promise<Picture | undefined>;
  /** Records that an annotation was sent. Does nothing if the annotation no longer exists. */
  markSent(id: string, agentId: string): Promise<void>;
  list(query: RecordQuery): Promise<Page<Annotation>>;
  /** Removes one with its picture. @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
}

const record = annotation.omit({ screenshot: true }).extend({
  sequence: z.number().int().positive(),
  hasScreenshot: z.boolean(),
});
type AnnotationRecord = z.infer<typeof record>;

/** Opens the annotations. */
export async function openAnnotations({
  store,
  clock,
  folder,
  log: lines,
  signal,
}: RecordsHost): Promise<Annotations> {
  const pictures = await openScreenshots(await folder());
  const log = await openRecordLog<AnnotationRecord>({
    store,
    definition: { name: "annotation", version: 1, schema: record },
    max: MAX_ANNOTATIONS,
    onRemoved(records) {
      for (const { id } of records) void pictures.remove(id);
    },
  });
  // An annotation that is being added has a picture before it has a record, so this must not run at the same time.
  void log
    .serial(() =>
      pictures.sweep(
        async (id) =>
          signal.aborted ||
          (isIdentifier("ann", id) &&
            (await log.collection.get(id)) !== undefined),
      ),
    )
    .catch((error: unknown) => {
      if (!signal.aborted)
        lines.warn("Pictures without an annotation were not removed", {
          reason: describeError(error),
        });
    });

  return {
    add: (draft) =>
      log.serial(async () => {
        const id = createIdentifier("ann");
        const { screenshot } = draft;
        if (screenshot) await pictures.write(id, screenshot);
        try {
          const [added] = await log.add(
            [{ ...toPlain(draft), id, hasScreenshot: screenshot !== null }],
            [AnnotationsChanged.of(id, { change: "added" })],
          );
          return toAnnotation(added!);
        } catch (error) {
          await pictures.remove(id);
          throw error;
        }
      }),
    async get(id) {
      const found = await log.collection.get(id);
      return found && toAnnotation(found);
    },
    readScreenshot: (id) => pictures.read(id),
    markSent: (id, agentId) =>
      log.serial(async () => {
        await log.collection.update(id, (current) => ({
          record: { ...current, sentTo: { agentId, at: clock.timestamp() } },
          events: [AnnotationsChanged.of(id, { change: "changed" })],
        }));
      }),
    async list({ q, ...page }) {
      const fits = createMatcher(q);
      const { items, nextCursor } = await log.list({
        ...page,
        ...(fits && {
          filter: ({ url, title, comment, text }) =>
            fits(url, title, comment, text),
        }),
      });
      return { items: items.map(toAnnotation), nextCursor };
    },
    async remove(id, revision) {
      const events = [AnnotationsChanged.of(id, { change: "removed" })];
      return (await log.remove(id, { revision, events })) !== undefined;
    },
  };
}

/** Text from the page, without invisible characters and cut to its limits. */
function toPlain({ screenshot: _, ...draft }: AnnotationDraft) {
  return {
    url: draft.url,
    box: draft.box,
    title: toLine(draft.title, MAX_TITLE_LENGTH),
    selector: toLine(draft.selector, MAX_SELECTOR_LENGTH),
    text: toText(draft.text, MAX_ELEMENT_TEXT_LENGTH),
    html: toText(draft.html, MAX_HTML_LENGTH),
    comment: toText(draft.comment, MAX_COMMENT_LENGTH),
    styles: draft.styles.slice(0, MAX_STYLES).map(({ name, value }) => ({
      name: toLine(name, MAX_STYLE_LENGTH),
      value: toLine(value, MAX_STYLE_LENGTH),
    })),
    sentTo: null,
  };
}

function toAnnotation({
  hasScreenshot,
  ...rest
}: AnnotationRecord): Annotation {
  const screenshot = hasScreenshot
    ? `/api/browser/annotations/${rest.id}/screenshot`
    : null;
  return { ...toPublic(rest), screenshot };
}
