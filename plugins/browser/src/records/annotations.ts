import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, Store, StoredRecord } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { AnnotationsChanged } from "./events.ts";
import { picture } from "./picture.ts";
import type { Picture } from "./picture.ts";
import { openRecordLog } from "./record-log.ts";
import type { RecordQuery } from "./record-log.ts";
import { annotation } from "./schemas.ts";
import type { Annotation } from "./schemas.ts";

/** Once there are more, the oldest annotations are removed with their pictures. */
export const MAX_ANNOTATIONS = 1000;

/** An annotation to be stored. */
export interface AnnotationInput extends Pick<
  Annotation,
  "url" | "title" | "selector" | "text" | "comment" | "box" | "styles"
> {
  screenshot: Picture | null;
}

/** Comments on elements of pages. */
export interface Annotations {
  add(input: AnnotationInput): Promise<Annotation>;
  /** @returns `undefined` if there is none */
  get(id: string): Promise<Annotation | undefined>;
  /** @returns `undefined` if there is none */
  readScreenshot(id: string): Promise<Picture | undefined>;
  list(query: RecordQuery): Promise<Page<Annotation>>;
  /** Records that an agent got one. Does nothing if it was removed in the meantime. */
  markSent(id: string, agentId: string): Promise<void>;
  /** Removes one with its picture. @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
}

const record = annotation
  .omit({ screenshot: true })
  .extend({ hasScreenshot: z.boolean() });
const pictureRecord = z.object({ ...storedFields, ...picture.shape });

/** Opens the annotations. */
export async function openAnnotations({
  store,
  clock,
}: {
  store: Store;
  clock: Pick<Clock, "timestamp">;
}): Promise<Annotations> {
  // Beside the annotations, so that a listing does not read pictures, and in the store, so that both are one write and
  // one moment of a backup.
  const pictures = store.collection<StoredRecord & Picture>({
    ...{ name: "picture", version: 1, schema: pictureRecord },
  });
  const log = await openRecordLog({
    ...{ store, name: "annotation", version: 2, schema: record },
    // Version 1 had no styles, and annotations were not sent.
    migrate: (data) => ({ styles: [], sentTo: null, ...(data as object) }),
    max: MAX_ANNOTATIONS,
    textsOf: ({ url, title, comment, text }) => [url, title, comment, text],
    changed: AnnotationsChanged,
    async toRemoveBeside(id) {
      const found = await pictures.get(id);
      return found ? pictures.toRemove(found) : [];
    },
  });
  return {
    add: ({ screenshot, ...input }) =>
      log.exclusive(async () => {
        const id = createIdentifier("ann");
        return toAnnotation(
          await log.add(
            {
              ...{ ...input, id, sentTo: null },
              hasScreenshot: screenshot !== null,
            },
            screenshot
              ? pictures.toInsert({ ...screenshot, id }).operations
              : [],
          ),
        );
      }),
    async get(id) {
      const found = await log.get(id);
      return found && toAnnotation(found);
    },
    readScreenshot: (id) => pictures.get(id),
    async list(query) {
      const { items, nextCursor } = await log.list(query);
      return { items: items.map(toAnnotation), nextCursor };
    },
    markSent: (id, agentId) =>
      log.exclusive(async () => {
        const sentTo = { agentId, at: clock.timestamp() };
        await log.change(id, (current) => ({ ...current, sentTo }));
      }),
    remove: log.remove,
  };
}

function toAnnotation({
  hasScreenshot,
  ...fields
}: z.infer<typeof record>): Annotation {
  const screenshot = hasScreenshot
    ? `/api/browser/annotations/${fields.id}/screenshot`
    : null;
  return { ...fields, screenshot };
}
