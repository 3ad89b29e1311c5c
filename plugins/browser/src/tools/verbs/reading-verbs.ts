import * as z from "zod";
import { ToolProblem } from "../tool-problem.ts";
import { defineVerb, elementRef } from "./verb.ts";

const MAX_WAIT_MS = 30_000;
const DEFAULT_WAIT_MS = 10_000;
const MAX_FOUND_LINES = 50;
/** Chromium refuses larger pictures, and models do not read more of them. */
const MAX_PICTURE_HEIGHT = 8000;

/** Tools of the tier `read`. */
export const READING_VERBS = [
  defineVerb({
    name: "browser_snapshot",
    tier: "read",
    description:
      "The page as text: title, address, and its elements with refs. Look before you act.",
    input: z.object({}),
    run: (page, _input, signal) => page.snapshot(signal),
  }),
  defineVerb({
    name: "browser_screenshot",
    tier: "read",
    description: "A picture of the visible part, the full page or an element.",
    input: z.object({
      ref: elementRef.optional(),
      fullPage: z.boolean().optional(),
    }),
    async run(page, { ref, fullPage = false }, signal) {
      const clip =
        ref !== undefined
          ? await page.boxOf(ref)
          : fullPage
            ? await page.contentBox(MAX_PICTURE_HEIGHT)
            : undefined;
      const { data } = await page.call<{ data: string }>(
        "Page.captureScreenshot",
        {
          format: "webp",
          quality: 70,
          ...(clip && { clip, captureBeyondViewport: true }),
        },
        { signal },
      );
      return [{ type: "image", data, mimeType: "image/webp" }];
    },
  }),
  defineVerb({
    name: "browser_find",
    tier: "read",
    description: "Lines of the snapshot that contain a text.",
    input: z.object({ text: z.string().min(1).max(200) }),
    async run(page, { text }, signal) {
      const wanted = text.toLowerCase();
      const lines = await page.snapshotLines(signal);
      const found = lines.filter((line) => line.toLowerCase().includes(wanted));
      if (found.length === 0)
        return "The text is not in the snapshot of the page.";
      const shown = found.slice(0, MAX_FOUND_LINES).map((line) => line.trim());
      if (found.length > shown.length)
        shown.push(`…${found.length - shown.length} more`);
      return page.fence(shown.join("\n"));
    },
  }),
  defineVerb({
    name: "browser_wait",
    tier: "read",
    description:
      "Waits until the page has a text, or for a time when no text is given.",
    input: z.object({
      text: z.string().min(1).max(200).optional(),
      ms: z.number().min(0).max(MAX_WAIT_MS).optional(),
    }),
    async run(page, { text, ms = DEFAULT_WAIT_MS }, signal) {
      if (text === undefined) {
        await page.sleep(ms, signal);
        return await page.snapshot(signal);
      }
      const isThere = await page.waitFor(
        async () =>
          (await page.snapshotLines(signal)).some((line) =>
            line.includes(text),
          ),
        ms,
        signal,
      );
      if (!isThere)
        throw new ToolProblem(
          `The page did not show that text within ${ms} ms.`,
        );
      return await page.snapshot(signal);
    },
  }),
];
