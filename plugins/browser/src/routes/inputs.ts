import { pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import {
  MAX_URL_LENGTH,
  toLine,
  toOrigin,
  toText,
  toWebUrl,
} from "../records/texts.ts";

/** Longest text that is taken for a title; the title itself is cut at {@link MAX_TITLE_LENGTH}. */
const MAX_TITLE_INPUT_LENGTH = 10_000;
const MAX_TITLE_LENGTH = 500;

/** Query of the listings of records. */
export const recordQuery = pageQuery.extend({
  q: z.string().max(500).optional(),
});

/** A text that `convert` makes a value of; one that it makes `undefined` of is refused with the message. */
export function convertedText(
  max: number,
  convert: (text: string) => string | undefined,
  message: string,
) {
  return z
    .string()
    .max(max)
    .transform((text, context) => {
      const converted = convert(text);
      if (converted !== undefined) return converted;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    });
}

/** An http or https address; a user name and password in it are dropped. */
export const urlInput = convertedText(
  MAX_URL_LENGTH,
  toWebUrl,
  `must be an http or https address of at most ${MAX_URL_LENGTH} characters, without characters that cannot be seen`,
);

/** Such as `https://example.com`. */
export const originInput = convertedText(
  MAX_URL_LENGTH,
  toOrigin,
  "must be an origin such as https://example.com",
);

/** The title of a page. A page is worth recording whatever its title is, so a long one is cut. */
export const titleInput = z
  .string()
  .max(MAX_TITLE_INPUT_LENGTH)
  .default("")
  .transform((title) => toLine(title, MAX_TITLE_LENGTH));

/** One line that is not empty. */
export const lineInput = (max: number) =>
  convertedText(
    max,
    (text) => toLine(text, max) || undefined,
    "must have a character that can be seen",
  );

/** Several lines, or none. */
export const textInput = (max: number) =>
  z
    .string()
    .max(max)
    .default("")
    .transform((text) => toText(text, max));

/** The agent that used the browser. */
export const agentIdInput = z
  .string()
  .regex(/^agt_[a-z2-7]{24}$/u, "must be the id of an agent");

/** A number of bytes that is an exact integer. */
export const byteCount = z.int().min(0);
