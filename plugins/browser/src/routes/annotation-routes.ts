import { bytes, defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import {
  MAX_ANNOTATIONS,
  MAX_COMMENT_LENGTH,
  MAX_ELEMENT_TEXT_LENGTH,
  MAX_HTML_LENGTH,
  MAX_SELECTOR_LENGTH,
  MAX_STYLES,
} from "../records/annotations.ts";
import type { Annotations } from "../records/annotations.ts";
import { annotation } from "../records/schemas.ts";
import { MAX_SCREENSHOT_BYTES, readPicture } from "../records/screenshots.ts";
import { pageText, recordQuery, urlInput } from "./inputs.ts";

/** Larger than any page, and still an exact integer. */
const MAX_COORDINATE = 10_000_000;
const coordinate = z.number().min(-MAX_COORDINATE).max(MAX_COORDINATE);
const length = z.number().min(0).max(MAX_COORDINATE);

/** Longer than any title that is stored; the title is cut. */
const MAX_PAGE_TITLE_LENGTH = 100_000;

/** Base64 encodes three bytes as four characters. */
const MAX_DATA_URL_LENGTH = Math.ceil(MAX_SCREENSHOT_BYTES / 3) * 4 + 50;
const MAX_BODY_BYTES = 2 * MAX_SCREENSHOT_BYTES;

const annotationId = {
  id: { prefix: "ann", missing: errors.BROWSER_ANNOTATION_NOT_FOUND },
};

const annotationInput = z.strictObject({
  url: urlInput,
  title: pageText(MAX_PAGE_TITLE_LENGTH),
  selector: z.string().min(1).max(MAX_SELECTOR_LENGTH),
  text: pageText(MAX_ELEMENT_TEXT_LENGTH),
  html: pageText(MAX_HTML_LENGTH),
  styles: z
    .array(
      z.strictObject({ name: z.string().max(100), value: z.string().max(500) }),
    )
    .max(MAX_STYLES)
    .default([]),
  comment: pageText(MAX_COMMENT_LENGTH),
  box: z.strictObject({
    x: coordinate,
    y: coordinate,
    width: length,
    height: length,
  }),
  screenshot: z
    .string()
    .max(MAX_DATA_URL_LENGTH)
    .refine(
      (text) => readPicture(text) !== undefined,
      "must be a data URL of a PNG, JPEG or WebP picture of at most 2 MiB",
    )
    .transform((text) => readPicture(text) ?? null)
    .nullable()
    .default(null),
});

/** Routes that list, add and delete annotations. */
export function createAnnotationRoutes(
  annotations: Annotations,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/browser/annotations",
      summary: "Comments on elements of pages",
      description: `Newest first, at most ${MAX_ANNOTATIONS}. \`q\` finds those that have all of its words in comment, text, title or address.`,
      access: "session",
      query: recordQuery,
      returns: pageOf(annotation),
      handle: ({ query }) => annotations.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/browser/annotations",
      summary: "Comment on an element of a page",
      description:
        "`screenshot` is a data URL of a PNG, JPEG or WebP picture of at most 2 MiB. `html` is kept as text.",
      access: "session",
      idempotent: true,
      maxBody: MAX_BODY_BYTES,
      body: annotationInput,
      returns: annotation,
      errors: ["BROWSER_DISK_FULL"],
      handle: ({ body }) => annotations.add(body),
    }),
    defineRoute({
      method: "GET",
      path: "/api/browser/annotations/{id}/screenshot",
      summary: "The picture of an annotation",
      access: "session",
      params: annotationId,
      returns: "bytes",
      errors: ["BROWSER_ANNOTATION_NOT_FOUND", "BROWSER_SCREENSHOT_NOT_FOUND"],
      async handle({ params: { id = "" } }) {
        const picture = await annotations.readScreenshot(id);
        if (!picture) throw errors.BROWSER_SCREENSHOT_NOT_FOUND({ id });
        return bytes(picture.mediaType, picture.bytes, {
          "cache-control": "private, max-age=3600, immutable",
        });
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/browser/annotations/{id}",
      summary: "Delete an annotation with its picture",
      access: "session",
      params: annotationId,
      body: z.strictObject({}),
      returns: okAnswer,
      errors: ["BROWSER_ANNOTATION_NOT_FOUND", "STALE_REVISION"],
      async handle({ params: { id = "" }, ifMatch }) {
        if (!(await annotations.remove(id, ifMatch)))
          throw errors.BROWSER_ANNOTATION_NOT_FOUND({ id });
        return { ok: true as const };
      },
    }),
  ];
}
