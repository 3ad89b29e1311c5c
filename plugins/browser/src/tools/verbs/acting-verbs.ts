import * as z from "zod";
import { chooseOption } from "../choose-option.ts";
import { defineVerb, elementRef } from "./verb.ts";

const MAX_TEXT_LENGTH = 20_000;
const MAX_FILES = 10;
const MAX_SCROLL = 20_000;
const DEFAULT_SCROLL = 600;

/** Tools of the tier `act` that use the elements of a page: real input, no scripts. */
export const ACTING_VERBS = [
  defineVerb({
    name: "browser_click",
    tier: "act",
    description: "Clicks an element.",
    input: z.object({
      ref: elementRef,
      count: z.number().int().min(1).max(3).optional(),
    }),
    async run(page, { ref, count = 1 }, signal) {
      await page.input.click(await page.pointOf(ref), count, signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_type",
    tier: "act",
    description: "Writes into a field, in place of what is there.",
    input: z.object({
      ref: elementRef,
      text: z.string().max(MAX_TEXT_LENGTH),
      submit: z.boolean().optional().describe("press Enter after it"),
    }),
    async run(page, { ref, text, submit = false }, signal) {
      await page.callOn(ref, "DOM.focus");
      await page.input.press("Control+a", signal);
      if (text === "") await page.input.press("Delete", signal);
      else await page.call("Input.insertText", { text }, { signal });
      if (submit) await page.input.press("Enter", signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_press",
    tier: "act",
    description: "Presses a key such as Enter, Tab, ArrowDown, Control+a.",
    input: z.object({ key: z.string().min(1).max(40) }),
    async run(page, { key }, signal) {
      await page.input.press(key, signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_select",
    tier: "act",
    description: "Chooses an option of a drop-down list by its label.",
    input: z.object({ ref: elementRef, label: z.string().max(500) }),
    async run(page, { ref, label }, signal) {
      await chooseOption(page, ref, label, signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_scroll",
    tier: "act",
    description: "Scrolls the page by pixels, or an element into view.",
    input: z.object({
      ref: elementRef.optional(),
      down: z.number().min(-MAX_SCROLL).max(MAX_SCROLL).optional(),
    }),
    async run(page, { ref, down = DEFAULT_SCROLL }, signal) {
      if (ref !== undefined)
        await page.callOn(ref, "DOM.scrollIntoViewIfNeeded");
      else await page.input.wheel(down, signal);
      return await page.snapshotWhenQuiet(signal);
    },
  }),
  defineVerb({
    name: "browser_upload",
    tier: "act",
    description: "Puts files of your working folder into a file field.",
    input: z.object({
      ref: elementRef,
      files: z.array(z.string().min(1).max(4096)).min(1).max(MAX_FILES),
    }),
    async run(page, { ref, files }, signal) {
      await page.callOn(ref, "DOM.setFileInputFiles", {
        files: files.map((file) => page.toFilePath(file)),
      });
      return await page.snapshotWhenQuiet(signal);
    },
  }),
];
