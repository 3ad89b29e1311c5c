import { bytes, defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf } from "@gantry/plugin/zod";
import { AGENT_MESSAGE_ERRORS } from "@gantry/plugin-agents/contract";
import * as z from "zod";
import { MAX_ANNOTATIONS_SENT } from "../annotate/send-annotations.ts";
import type { SendAnnotations } from "../annotate/send-annotations.ts";
import { errors } from "../errors.ts";
import { MAX_ANNOTATIONS } from "../records/annotations.ts";
import type { Annotations } from "../records/annotations.ts";
import { MAX_PICTURE_BYTES, readPicture } from "../records/picture.ts";
import { annotation } from "../records/schemas.ts";
import { createDeletionRoute } from "./deletion-route.ts";
import {
  agentIdInput,
  lineInput,
  recordQuery,
  textInput,
  titleInput,
  urlInput,
} from "./inputs.ts";

const MAX_TEXT_LENGTH = 10_000;
const MAX_SELECTOR_LENGTH = 2048;
const MAX_STYLES = 64;
const MAX_STYLE_LENGTH = 500;
/** Larger than any page, in CSS pixels. */
const MAX_COORDINATE = 10_000_000;
/** Base64 encodes three bytes as four characters. */
const MAX_DATA_URL_LENGTH = Math.ceil(MAX_PICTURE_BYTES / 3) * 4 + 50;
const MAX_BODY_BYTES = 2 * MAX_PICTURE_BYTES;

const coordinate = z.number().min(-MAX_COORDINATE).max(MAX_COORDINATE);
const length = z.number().min(0).max(MAX_COORDINATE);

const screenshotInput = z
  .string()
  .max(MAX_DATA_URL_LENGTH)
  .transform((dataUrl, context) => {
    const picture = readPicture(dataUrl);
    if (picture) return picture;
    context.addIssue({
      code: "custom",
      message:
        "must be a data URL of a PNG, JPEG or WebP picture of at most 2 MiB",
    });
    return z.NEVER;
  });

const annotationInput = z.strictObject({
  url: urlInput,
  title: titleInput,
  selector: lineInput(MAX_SELECTOR_LENGTH),
  text: textInput(MAX_TEXT_LENGTH),
  comment: textInput(MAX_TEXT_LENGTH),
  box: z.strictObject({
    x: coordinate,
    y: coordinate,
    width: length,
    height: length,
  }),
  styles: z
    .array(
      z.strictObject({
        name: lineInput(100),
        value: lineInput(MAX_STYLE_LENGTH),
      }),
    )
    .max(MAX_STYLES)
    .default([]),
  screenshot: screenshotInput.nullable().default(null),
});

/** Routes that list, add, send and remove annotations. */
export const createAnnotationRoutes = (
  annotations: Annotations,
  send: SendAnnotations,
): RouteDefinition[] => [
  listAnnotations(annotations),
  addAnnotation(annotations),
  sendAnnotations(send),
  getScreenshot(annotations),
  deleteAnnotation(annotations),
];

const listAnnotations = (annotations: Annotations) =>
  defineRoute({
    method: "GET",
    path: "/api/browser/annotations",
    summary: "Comments on elements of pages",
    description: `Newest first, at most ${MAX_ANNOTATIONS}. \`q\` finds those that have all of its words in comment, text, title or address.`,
    access: "session",
    query: recordQuery,
    returns: pageOf(annotation),
    handle: ({ query }) => annotations.list(query),
  });

const addAnnotation = (annotations: Annotations) =>
  defineRoute({
    method: "POST",
    path: "/api/browser/annotations",
    summary: "Comment on an element of a page",
    description:
      "`screenshot` is a data URL of a PNG, JPEG or WebP picture of the element, of at most 2 MiB. `box` is in CSS pixels from the top left corner of the page.",
    access: "session",
    idempotent: true,
    maxBody: MAX_BODY_BYTES,
    body: annotationInput,
    returns: annotation,
    handle: ({ body }) => annotations.add(body),
  });

const sendAnnotations = (send: SendAnnotations) =>
  defineRoute({
    method: "POST",
    path: "/api/browser/annotations/send",
    summary: "Send annotations to an agent as one prompt",
    description:
      "The comments are the user's words; what was read from the pages is marked as untrusted data. The pictures of the first four that have one are attached, unless the agent takes text only. A closed agent is started.",
    access: "session",
    idempotent: true,
    body: z.strictObject({
      ids: z.array(z.string().max(100)).min(1).max(MAX_ANNOTATIONS_SENT),
      agentId: agentIdInput,
    }),
    returns: z.object({
      taskId: z.string(),
      delivery: z.enum(["sent", "queued"]),
    }),
    errors: [
      "BROWSER_ANNOTATION_NOT_FOUND",
      "BROWSER_AGENT_NOT_FOUND",
      "BROWSER_AGENTS_MISSING",
      ...AGENT_MESSAGE_ERRORS,
    ],
    handle: ({ body }) => send(body),
  });

const getScreenshot = (annotations: Annotations) =>
  defineRoute({
    method: "GET",
    path: "/api/browser/annotations/{id}/screenshot",
    summary: "The picture of an annotation",
    access: "session",
    params: {
      id: { prefix: "ann", missing: errors.BROWSER_SCREENSHOT_NOT_FOUND },
    },
    returns: "bytes",
    errors: ["BROWSER_SCREENSHOT_NOT_FOUND"],
    async handle({ params: { id } }) {
      const picture = await annotations.readScreenshot(id);
      if (!picture) throw errors.BROWSER_SCREENSHOT_NOT_FOUND({ id });
      const { mediaType, base64 } = picture;
      return bytes(mediaType, Buffer.from(base64, "base64"), {
        "cache-control": "private, max-age=3600, immutable",
      });
    },
  });

const deleteAnnotation = (annotations: Annotations) =>
  createDeletionRoute({
    path: "/api/browser/annotations/{id}",
    summary: "Remove an annotation with its picture",
    prefix: "ann",
    missing: errors.BROWSER_ANNOTATION_NOT_FOUND,
    missingCode: "BROWSER_ANNOTATION_NOT_FOUND",
    remove: annotations.remove,
  });
